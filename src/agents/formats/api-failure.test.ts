import { expect, test } from "vitest";
import { apiFailure, plainMessage } from "./api-failure.ts";

const now = new Date("2026-11-20T12:00:00Z");
const failure = (raw: string, status?: number) => apiFailure(raw, { status, hints: { auth: "log in" }, now });

test.each([
  ["401 Incorrect API key provided.", "401 Incorrect API key provided."],
  ['{"error":{"message":"Overloaded","type":"x"}}', "Overloaded"],
  ['[API Error: {"error":{"code":401,"message":"API key not valid."}}]', "API key not valid."],
  ["[API Error: You have exhausted your daily quota.]\nPlease wait", "You have exhausted your daily quota."],
  [JSON.stringify({ error: { message: JSON.stringify({ error: { message: "inner" } }) } }), "inner"],
  ["unexpected status 503: busy, url: http://127.0.0.1:1/v1/responses", "unexpected status 503: busy"],
  ['Input is too large. (code -32602), data: {"max":1}', "Input is too large."],
  ["two\nlines", "two lines"],
  ["terminated", "connection closed in the middle of the model's answer"],
  // Nothing to say it better with.
  ['{"code":12}', '{"code":12}'],
  ["{ not JSON }", "{ not JSON }"],
])("AGENT-2: %j becomes the sentence %j", (raw, sentence) => {
  expect(plainMessage(raw)).toBe(sentence);
});

test("AGENT-2: a status decides, except against words for credit and a full context", () => {
  expect(failure("rate limit reached", 500).kind).toBe("overloaded");
  expect(failure("Your credit balance is too low", 400).kind).toBe("credit");
  expect(failure("maximum context length exceeded", 429).kind).toBe("context_full");
  expect(failure("nope", 418).kind).toBe("crash");
  expect(failure("who are you?", 401)).toMatchObject({ kind: "auth", hint: "log in" });
});

test("LOOP-8: a reset is read from the whole error, also from what people are not shown", () => {
  const body = { error: { message: "Slow down", details: [{ retryDelay: "34s" }] } };
  expect(failure(JSON.stringify(body), 429)).toMatchObject({
    message: "Slow down",
    resetAt: "2026-11-20T12:00:34.000Z",
  });
});
