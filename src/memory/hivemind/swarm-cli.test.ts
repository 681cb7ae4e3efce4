import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { callSwarm } from "./swarm-cli.ts";

test("HIVE-3: a process looks for the program once, and finds a missing one only when it starts again", async () => {
  const base = mkdtempSync(join(tmpdir(), "ralph-swarm-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const PATH = `${join(base, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin`;
  const swarm = { folder: join(base, "data"), env: { PATH } };
  const stats = () => callSwarm(swarm, { args: ["stats"], deadlineMs: 10_000 });
  const missing = {
    code: "RALPH_HIVEMIND_UNAVAILABLE",
    message: expect.stringContaining("no program `swarm`"),
  };
  await expect(stats()).rejects.toMatchObject(missing);
  mkdirSync(join(base, "bin"));
  copyFileSync(resolve(import.meta.dirname, "../../../test/fakes/swarm.sh"), join(base, "bin/swarm"));
  chmodSync(join(base, "bin/swarm"), 0o755);
  await expect(stats()).rejects.toMatchObject(missing);
  const other = { ...swarm, env: { PATH: `${join(base, "bin")}:${PATH}` } };
  const answer = await callSwarm(other, { args: ["stats"], deadlineMs: 10_000 });
  expect(answer).toEqual({ success: true, stats: { memories: 0, embeddings: 0 } });
});
