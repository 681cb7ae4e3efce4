import { expect, test } from "vitest";
import { silentHost } from "../../../test/fakes/session-host.ts";
import type { Reading } from "../session/session-stream.ts";
import { codexStream } from "./codex-stream.ts";

function read(...events: readonly object[]): Reading {
  const now = (): Date => new Date("2026-11-20T12:00:00Z");
  const stream = codexStream(silentHost({ now }));
  for (const event of events) stream.line?.(JSON.stringify(event));
  return stream.reading();
}
const message = (text: string) => ({ type: "item.completed", item: { type: "agent_message", text } });
const failed = (text: string) => ({ type: "turn.failed", error: { message: text } });

test("the last message counts, an error event on the way does not, and cached tokens are not fresh ones", () => {
  const reading = read(
    { type: "thread.started", thread_id: "th-1" },
    { type: "error", message: "Reconnecting... 1/5 (stream disconnected before completion)" },
    { type: "item.completed", item: { type: "error", message: "Model metadata for X not found" } },
    message("first"),
    { type: "item.completed", item: { type: "command_execution", aggregated_output: "429 rate limit" } },
    message("last"),
    { type: "turn.completed", usage: { input_tokens: 401, cached_input_tokens: 100, output_tokens: 40 } },
  );
  expect(reading).toMatchObject({
    finalMessage: "last",
    terminal: "ok",
    failure: null,
    retrying: null,
    sessionId: "th-1",
    tokens: { input: 301, output: 40, cacheRead: 100, cacheWrite: 0 },
  });
});

test.each([
  ["exceeded retry limit, last status: 429 Too Many Requests", "rate_limit", null],
  ["You've hit your usage limit. Try again in 2 hours.", "rate_limit", "2026-11-20T14:00:00.000Z"],
  ["unexpected status 401 Unauthorized: Incorrect API key provided: dummy.", "auth", null],
  ["We're currently experiencing high demand, which may cause temporary errors.", "overloaded", null],
  ["stream disconnected before completion: failed to lookup address information", "network", null],
  ["You exceeded your current quota, please check your plan and billing details.", "credit", null],
  ["something else", "crash", null],
])("LOOP-8: a failed turn is told apart: %s", (words, kind, resetAt) => {
  expect(read(failed(words))).toMatchObject({
    terminal: "failed",
    failure: { kind, message: words, resetAt },
  });
});

test("while it reconnects, that is why nothing comes", () => {
  const told = "Reconnecting... 2/5 (stream disconnected before completion: failed to lookup address)";
  expect(read({ type: "error", message: told })).toMatchObject({
    terminal: null,
    retrying: { kind: "network" },
  });
});
