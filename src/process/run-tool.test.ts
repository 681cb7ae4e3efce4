import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fake, fakeEnv } from "../../test/fakes/fake.ts";
import { scaledLimit } from "../../test/scaled-limit.ts";
import { runTool } from "./run-tool.ts";

const options = { cwd: "/", env: fakeEnv, timeoutMs: 20_000 };

test.concurrent("gives exit code, output and input", async () => {
  const result = await runTool(["sh", "-c", "cat; echo oops >&2; exit 3"], { ...options, stdin: "in" });
  expect(result).toMatchObject({
    exitCode: 3,
    stdout: "in",
    stderr: "oops\n",
    spawnError: null,
    timedOut: false,
  });
});

test.concurrent("a tool that is not there, too slow or too loud is told apart", async () => {
  expect(await runTool(["no-such-tool"], options)).toMatchObject({
    exitCode: null,
    // EACCES where a folder of PATH may not be entered.
    spawnError: expect.stringMatching(/ENOENT|EACCES/),
  });
  expect(await runTool(fake("hang"), { ...options, timeoutMs: 300 })).toMatchObject({
    exitCode: null,
    signal: "SIGTERM",
    timedOut: true,
  });
  const loud = await runTool(fake("flood", "80"), options);
  expect(loud).toMatchObject({ exitCode: null, overflowed: true });
  expect(loud.stdout.length).toBeLessThanOrEqual(64 * 1024 * 1024);
});

test.concurrent("LOOP-11: a git that takes too long is let take its lock along", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "ralph-tool-"));
  const git = (...args: string[]) =>
    runTool(["git", "-c", "user.name=x", "-c", "user.email=x@x", ...args], { ...options, cwd });
  await git("init", "-q");
  writeFileSync(
    join(cwd, ".git/hooks/pre-commit"),
    "#!/bin/sh\ntest -e .git/index.lock && : > started\nsleep 60\n",
    { mode: 0o755 },
  );
  writeFileSync(join(cwd, "a"), "a");
  await git("add", "a");
  const slow = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-aqm", "x"] as const;
  const result = await runTool([...slow], { ...options, cwd, timeoutMs: scaledLimit(1500) });
  expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGTERM" });
  expect(existsSync(join(cwd, "started"))).toBe(true);
  expect(existsSync(join(cwd, ".git/index.lock"))).toBe(false);
  rmSync(cwd, { recursive: true });
});

test.concurrent("LOOP-11: a tool that does not listen is killed", async () => {
  const deaf = await runTool(["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"], {
    ...options,
    timeoutMs: scaledLimit(300),
  });
  expect(deaf).toMatchObject({ timedOut: true, signal: "SIGKILL" });
});
