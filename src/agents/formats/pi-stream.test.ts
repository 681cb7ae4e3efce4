import { expect, test } from "vitest";
import { silentHost } from "../../../test/fakes/session-host.ts";
import type { AgentErrorKind } from "../port/agent.ts";
import type { Reading } from "../port/session-stream.ts";
import { piFormat, piStream } from "./pi-stream.ts";

const begun = [{ type: "session", id: "s" }, { type: "agent_start" }];
const ended = { type: "agent_end", messages: [] };
const said = (text: string, more: object = {}) => ({
  type: "message_end",
  message: { role: "assistant", content: [{ type: "text", text }], stopReason: "stop", usage: {}, ...more },
});
const failed = (errorMessage: string) => said("", { content: [], stopReason: "error", errorMessage });

function read(events: readonly object[], exitCode = 0, stderr: readonly string[] = []): Reading {
  const stream = piStream(silentHost({ now: () => new Date("2026-11-20T12:00:00Z") }));
  for (const event of events) stream.line?.(JSON.stringify(event));
  for (const line of stderr) stream.errorLine?.(line);
  stream.ended?.({ exitCode, signal: null, overdue: false });
  return stream.reading();
}

test.each([
  ["401 Incorrect API key provided: dummy.", "auth"],
  ["No API key found for anthropic", "auth"],
  ["429 Rate limit reached for requests", "rate_limit"],
  ["500 Internal server error", "overloaded"],
  [
    '400 {"type":"error","error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
    "context_full",
  ],
  ["402 Insufficient credits", "credit"],
  ["terminated", "network"],
  ["Connection error.", "network"],
])("AGENT-2: %s, with exit code 0, is %s", (words, kind) => {
  expect(read([...begun, failed(words), ended]).failure?.kind).toBe(kind);
});

test.each([
  ["length", "bad_output"],
  ["aborted", "killed"],
])("AGENT-2: a last message that stopped by %s is %s", (stopReason, kind) => {
  expect(read([...begun, said("half", { stopReason }), ended]).failure?.kind).toBe(kind);
});

test("AGENT-2: an error that a retry overcame is none; a retry that failed in the end is the error", () => {
  const retry = { type: "auto_retry_start", attempt: 1, maxAttempts: 3, errorMessage: "529 Overloaded" };
  const again = [...begun, failed("529 Overloaded"), ended, retry];
  expect(read(again)).toMatchObject({ terminal: null, retrying: { kind: "overloaded" } });
  const overcome = [
    ...again,
    { type: "agent_start" },
    said("done"),
    ended,
    { type: "auto_retry_end", success: true },
  ];
  expect(read(overcome)).toMatchObject({
    terminal: "ok",
    failure: null,
    retrying: null,
    finalMessage: "done",
  });
  const lost = { type: "auto_retry_end", success: false, finalError: "529 Overloaded" };
  expect(read([...again, { type: "agent_start" }, failed("529 Overloaded"), ended, lost])).toMatchObject({
    terminal: "failed",
    failure: { kind: "overloaded" },
    retrying: null,
  });
});

test.each([
  ["failed with status 429 in 12ms", "rate_limit"],
  ["failed with status 529 in 12ms", "overloaded"],
  ["connection failed", "network"],
])(
  "AGENT-7: a call that %s and that pi repeats in silence ends the session as %s after 30 s",
  (how, kind) => {
    const timers: { ms: number; run: () => void }[] = [];
    const errors: (AgentErrorKind | undefined)[] = [];
    const stream = piStream(
      silentHost({
        after: (ms, run) => {
          timers.push({ ms, run });
          return () => void timers.pop();
        },
        fail: (error) => errors.push(error.kind),
      }),
    );
    const call = "[log_3f] POST https://api.openai.com/v1/chat/completions";
    for (const event of begun) stream.line?.(JSON.stringify(event));
    stream.errorLine?.(`${call} ${how} - error; not retryable`);
    expect(timers).toEqual([]);
    stream.errorLine?.(
      how.startsWith("conn")
        ? `[log_3f] ${how} - retrying, 2 attempts remaining`
        : `${call} ${how} - retrying, 2 attempts remaining`,
    );
    expect([stream.reading().retrying?.kind, timers.map(({ ms }) => ms)]).toEqual([kind, [30_000]]);
    timers[0]?.run();
    expect(errors).toEqual([kind]);
    stream.line?.(JSON.stringify(said("done")));
    expect([stream.reading().retrying, timers]).toEqual([null, []]);
  },
);

test("LOOP-8: pi is asked to log the calls that it repeats; the user's own values win", () => {
  expect(piFormat.env({})).toEqual({ OPENAI_LOG: "info", ANTHROPIC_LOG: "info" });
  expect(piFormat.env({ OPENAI_LOG: "debug" })["OPENAI_LOG"]).toBe("debug");
});

test("AGENT-7: compactions are counted", () => {
  const compaction = { type: "compaction_start", reason: "overflow" };
  expect(read([...begun, compaction, { type: "compaction_end" }, said("done"), ended]).compactions).toBe(1);
});

test("AGENT-2: a missing key is reported before the work begins", () => {
  const told = [
    "No API key found for anthropic.",
    "",
    "Use /login to log into a provider via OAuth or API key. See:",
  ];
  expect(read([{ type: "session", id: "s" }], 1, told).failure).toMatchObject({ kind: "auth" });
});

test("AGENT-2: what it rejects before its session begins is unusable", () => {
  expect(read([], 1, ["Error: Unknown option: --nosuch"]).failure).toMatchObject({
    kind: "unusable",
    message: "Unknown option: --nosuch",
  });
});
