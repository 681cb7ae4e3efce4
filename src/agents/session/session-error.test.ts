import { expect, test } from "vitest";
import { silentHost } from "../../../test/fakes/session-host.ts";
import type { ProcessResult } from "../../process/run-process.ts";
import { refusalFromClaude } from "../formats/claude-failure.ts";
import { claudeStream } from "../formats/claude-stream.ts";
import { textStream } from "../formats/text-stream.ts";
import { limitInMessage, sessionError } from "./session-error.ts";

const facts = (exitCode: number) => ({
  agent: "command",
  program: "agent",
  ran: {
    spawnError: null,
    exitCode,
    signal: null,
    ended: "exited",
    durationMs: 1000,
    survivorsKilled: 0,
  } satisfies ProcessResult,
  stderr: "",
  timeoutMs: null,
  idleTimeoutMs: null,
  failure: null,
  reader: { explain: refusalFromClaude, endsWithEvent: true },
  now: new Date("2026-11-20T12:00:00Z"),
});

test.each([0, 1])(
  "LOOP-8: a limit that Claude reports as a success (exit code %i) ends when its event states",
  (exitCode) => {
    const stream = claudeStream(silentHost());
    const info = { status: "rejected", resetsAt: 1_795_198_800, rateLimitType: "seven_day_opus" };
    const result = "You've hit your limit · resets 1pm (UTC)";
    for (const event of [
      { type: "rate_limit_event", rate_limit_info: info },
      { type: "result", subtype: "success", is_error: false, result },
    ])
      stream.line?.(JSON.stringify(event));
    const given = { ...facts(exitCode), reading: stream.reading() };
    const limit = exitCode === 0 ? limitInMessage(given) : sessionError(given);
    expect(sessionError(given) === null).toBe(exitCode === 0);
    expect(limit).toMatchObject({
      kind: "rate_limit",
      resetAt: "2026-11-20T18:20:00.000Z",
      limitedModel: "opus",
    });
  },
);

const limitWords = "You've hit your limit · resets Dec 3 at 4pm";
const answered = { total_cost_usd: 0.01, usage: { input_tokens: 1, output_tokens: 1 } };

test.each([
  [limitWords, answered, null],
  // Claude Code's own form.
  ["Claude AI usage limit reached|1795788000", answered, "rate_limit"],
  ["Invalid API key", answered, null],
  ["Credit balance is too low", { total_cost_usd: 0.01 }, null],
  [limitWords, { total_cost_usd: 0, usage: { input_tokens: 0, output_tokens: 0 } }, "rate_limit"],
  ["Invalid API key", {}, "auth"],
])(
  "LOOP-8: %j as the result of a success is believed where no token was spent, or in its own form: %j",
  (result, spent, kind) => {
    const stream = claudeStream(silentHost());
    stream.line?.(JSON.stringify({ type: "result", subtype: "success", is_error: false, result, ...spent }));
    const limit = limitInMessage({ ...facts(0), reading: stream.reading() });
    expect(limit?.kind ?? null).toBe(kind);
    if (kind !== null) expect(limit?.byWords).toBe(true);
  },
);

test("LOOP-8: an agent that answers nothing and refuses on stderr is limited, with exit code 0 too", () => {
  const stderr = "ERROR: You've hit your usage limit. Try again in 20s.\n";
  const given = {
    ...facts(0),
    reader: { explain: refusalFromClaude, endsWithEvent: false },
    stderr,
    reading: textStream(silentHost()).reading(),
  };
  expect(sessionError(given)).toMatchObject({ kind: "rate_limit", resetAt: "2026-11-20T12:00:20.000Z" });
});

test("LOOP-6: a program that ended with an uncaught error is described by the error, without its stack", () => {
  const stderr = [
    "file:///srv/agent.mjs:15",
    "  throw new TypeError(message);",
    "        ^",
    "",
    "TypeError: no key",
    "    at find (file:///srv/agent.mjs:15:9)",
    "    at async file:///srv/agent.mjs:20:1",
    "",
    "Node.js v20.20.2",
    "",
  ].join("\n");
  const reading = claudeStream(silentHost()).reading();
  expect(sessionError({ ...facts(1), stderr, reading })?.message).toBe(
    "agent ended with exit code 1: TypeError: no key",
  );
});
