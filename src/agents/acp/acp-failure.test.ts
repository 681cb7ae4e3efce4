import { expect, test } from "vitest";
import { resetIn, rpcFailure, withReset } from "./acp-failure.ts";

const now = new Date("2026-11-22T12:00:00Z");
const hints = { auth: "Log in." };
const gemini401 = JSON.stringify({
  error: { code: 401, message: "API key not valid.", status: "UNAUTHENTICATED" },
});
const internal = -32603;

test.each([
  [401, gemini401, null, "auth", "API key not valid."],
  [
    429,
    "You have exhausted your daily quota on this model.",
    null,
    "rate_limit",
    "You have exhausted your daily quota on this model.",
  ],
  [
    400,
    "API key not valid. Please pass a valid API key.",
    null,
    "auth",
    "API key not valid. Please pass a valid API key.",
  ],
  [
    400,
    "The input token count (1200000) exceeds the maximum",
    null,
    "context_full",
    "The input token count (1200000) exceeds the maximum",
  ],
  [
    internal,
    "Internal error: Incorrect API key provided: x.",
    { errorName: "APIError" },
    "auth",
    "Incorrect API key provided: x.",
  ],
  [
    internal,
    "Internal error",
    { errorName: "ContextOverflowError" },
    "context_full",
    "Internal error (ContextOverflowError)",
  ],
  [
    internal,
    "Internal error",
    { details: "usage limit reached", codex_error_info: "usage_limit_exceeded" },
    "rate_limit",
    "usage limit reached",
  ],
  [internal, "Your credit balance is too low", null, "credit", "Your credit balance is too low"],
  [
    429,
    "You exceeded your current quota, please check your plan and billing details.",
    null,
    "credit",
    "You exceeded your current quota, please check your plan and billing details.",
  ],
  [internal, "Overloaded", { status: 529 }, "overloaded", "Overloaded"],
  [-32000, "Authentication required", null, "auth", "Authentication required"],
  [403, "This client is no longer supported.", null, "unusable", "This client is no longer supported."],
  [internal, "fetch failed", null, "network", "fetch failed"],
  [500, "terminated", null, "network", "connection closed in the middle of the model's answer"],
  [internal, "Cannot read properties of undefined", null, "crash", "Cannot read properties of undefined"],
])("AGENT-2: the answer %i %s %j is %s", (code, message, data, kind, words) => {
  const error = rpcFailure({ code, message, data }, hints, now);
  expect(error).toMatchObject({ kind, message: words, hint: kind === "auth" ? "Log in." : null });
});

test("AGENT-2: a limit states its reset", () => {
  const message = "You exceeded your quota. Please retry in 34s.";
  const error = rpcFailure({ code: 429, message, data: null }, hints, now);
  expect(error).toMatchObject({ kind: "rate_limit", resetAt: "2026-11-22T12:00:34.000Z" });
});

test("LOOP-8: the end of a limit is read from stderr where the protocol's error does not state it", () => {
  const later = resetIn("    message: 'You exceeded your current quota. Please retry in 3600s.',", now);
  expect(later).toBe("2026-11-22T13:00:00.000Z");
  expect(resetIn("Attempt 1 failed with status 429. Retrying with backoff...", now)).toBeNull();
  const answer = (message: string) => rpcFailure({ code: 429, message, data: null }, hints, now);
  expect(withReset(answer("You have exhausted your daily quota on this model."), later)?.resetAt).toBe(later);
  const stated = answer("Quota exceeded. Please retry in 7200s.");
  expect(withReset(stated, later)?.resetAt).toBe("2026-11-22T14:00:00.000Z");
  expect(
    withReset(rpcFailure({ code: 500, message: "Internal", data: null }, hints, now), later)?.resetAt,
  ).toBeNull();
});
