import { expect, test } from "vitest";
import { kindOfMessage, readLimit } from "./error-kind.ts";

const read = (message: string, now: string) =>
  readLimit({ kind: kindOfMessage(message) ?? "crash", message }, new Date(now), "UTC");

// https://github.com/anthropics/claude-code/issues/38035
const workspaceLimit =
  "You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.";

test("LOOP-8: out of credit that ends within 8 days is waited for; later than that a person is needed", () => {
  expect(read(workspaceLimit, "2026-03-25T12:00:00Z")).toMatchObject({
    kind: "rate_limit",
    resetAt: "2026-04-01T00:00:00.000Z",
  });
  expect(read(workspaceLimit, "2026-03-12T12:00:00Z")).toMatchObject({ kind: "credit", resetAt: null });
});

test("LOOP-8: a time that passed while the agent was ending is not tomorrow's", () => {
  const words = "You've hit your limit · resets 1pm (UTC)";
  expect(read(words, "2026-03-25T12:59:59Z").resetAt).toBe("2026-03-25T13:00:00.000Z");
  expect(read(words, "2026-03-25T13:00:20Z").resetAt).toBe("2026-03-25T13:00:00.000Z");
  expect(read(words, "2026-03-25T13:05:00Z").resetAt).toBe("2026-03-26T13:00:00.000Z");
  expect(read("You've hit your usage limit. Try again in 20s", "2026-03-25T13:00:00Z").resetAt).toBe(
    "2026-03-25T13:00:20.000Z",
  );
});

test.each([
  ["You've hit your Opus limit · resets 3pm", "opus"],
  ["Opus weekly limit reached ∙ resets Oct 31, 9am", "opus"],
  ["You've hit your Sonnet 4.5 limit", "sonnet"],
  ["You've hit your weekly limit · resets 3pm", null],
  ["Rate limit reached for claude-opus-4-6", null],
])("LOOP-8: which models a limit holds for: %s", (words, limitedModel) => {
  expect(read(words, "2026-03-25T12:00:00Z")).toMatchObject({ kind: "rate_limit", limitedModel });
});

test.each([
  ["The server had an error while processing your request. Sorry about that!", "overloaded"],
  ["An internal error has occurred. Please retry.", "overloaded"],
  ["The service is temporarily unavailable", "overloaded"],
  ["Upstream request failed", "overloaded"],
  ["Request timed out.", "network"],
  ["Insufficient balance", "credit"],
  ["Payment required", "credit"],
])("LOOP-8 AGENT-2: a provider's words without a status are classed: %s", (words, kind) => {
  expect(kindOfMessage(words)).toBe(kind);
});

test.each([
  "Limit 250000, Used 401, Requested 529",
  "request id: 429-500-401",
  "TypeError: authenticate() returned undefined",
  "AssertionError: expected 402 to equal 500",
  "Cannot find package 'express-ratelimit-x' imported from /a/b.js:429:12",
])("figures and names that look like an error's are none: %s", (words) => {
  expect(kindOfMessage(words)).toBeUndefined();
});
