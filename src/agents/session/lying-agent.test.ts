import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { newRequestIn } from "../../../test/fakes/agent-request.ts";
import { fakeEnv } from "../../../test/fakes/fake.ts";
import { scaledLimit } from "../../../test/scaled-limit.ts";
import type { AgentResult } from "../port/agent.ts";
import { defaultStop, emptyReading, type OpenStream, type Reading } from "../port/session-stream.ts";
import { runSession } from "./run-session.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-session-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a session of the program `argv`, read by `open`. */
async function run(open: OpenStream, argv: readonly [string, ...string[]]): Promise<AgentResult> {
  return await runSession(newRequestIn(folder, { timeoutMs: 20_000 }), {
    agent: "fake",
    command: { argv, env: {} },
    inheritedEnv: fakeEnv,
    reader: {
      ...{ open, explain: () => null, endsWithEvent: true, stop: defaultStop },
      ...{ hints: {}, listsSkills: null, env: () => ({}) },
    },
  });
}

test("AGENT-7 TRUST-12: an agent that asks on and on without reading the answers ends with an error", async () => {
  const asks = "setInterval(() => process.stdout.write('ask\\n'.repeat(4)), 5); setTimeout(() => {}, 60000)";
  const answer = "x".repeat(1024 * 1024);
  let written = 0;
  const open: OpenStream = (host) => ({
    start: () => undefined,
    line() {
      written += 1;
      host.write(answer);
    },
    reading: () => emptyReading,
  });
  const result = await run(open, [process.execPath, "-e", asks]);
  expect(result.error).toMatchObject({
    kind: "bad_output",
    message: expect.stringMatching(/does not read/),
  });
  expect(written).toBeGreaterThan(15);
  expect(result.durationMs).toBeLessThan(scaledLimit(15_000));
});

test("AGENT-2: long names and an absurd cost are not stored, and the cost is reported", async () => {
  const long = "n".repeat(1_000_000);
  const stated = { sessionId: long, model: long, stopReason: long, costUsd: 10_001 } as const;
  const reading: Reading = { ...emptyReading, ...stated, costSource: "measured", terminal: "ok" };
  const open =
    (costUsd: number): OpenStream =>
    () => ({ reading: () => ({ ...reading, costUsd }) });
  const result = await run(open(1e9), ["true"]);
  expect(result).toMatchObject({ error: null, costUsd: null, costSource: null });
  expect(result.warnings).toEqual([expect.stringContaining("a cost of $1.00e+9 for one session")]);
  for (const name of [result.sessionId, result.model, result.stopReason]) expect(name).toHaveLength(200);
  expect(await run(open(9999), ["true"])).toMatchObject({
    costUsd: 9999,
    warnings: [],
  });
});
