import { expect, test } from "vitest";
import { reopensAt, turnFailure } from "./codex-failure.ts";

const now = new Date("2026-11-22T12:00:00Z");
const status = (name: string, httpStatusCode: number | null) => ({ [name]: { httpStatusCode } });

test.each([
  [
    "usageLimitExceeded",
    "You’ve hit your usage limit. Try again in 2 hours.",
    "rate_limit",
    "2026-11-22T14:00:00.000Z",
  ],
  ["rateLimitExceeded", "slow down", "rate_limit", null],
  ["contextWindowExceeded", "Codex ran out of room in the model's context window", "context_full", null],
  ["unauthorized", "no", "auth", null],
  ["serverOverloaded", "no", "overloaded", null],
  ["modelNotFound", "no", "not_found", null],
  [status("httpConnectionFailed", 401), "unexpected status 401 Unauthorized", "auth", null],
  [status("responseTooManyFailedAttempts", 429), "exceeded retry limit", "rate_limit", null],
  [status("responseStreamDisconnected", 500), "stream closed", "overloaded", null],
  [status("responseStreamConnectionFailed", null), "connection refused", "network", null],
  ["other", "Your credit balance is too low", "credit", null],
  ["a class of a later version", "The model is overloaded", "overloaded", null],
  [null, "something broke", "crash", null],
])("AGENT-2: codexErrorInfo %j with “%s” is %s", (codexErrorInfo, message, kind, resetAt) => {
  expect(turnFailure({ codexErrorInfo, message }, now)).toMatchObject({ kind, message, resetAt });
});

test("AGENT-2: the sentence for people has no address and no id of the request", () => {
  const message =
    "unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:1/v1/responses, request id: r-1";
  expect(turnFailure({ codexErrorInfo: status("httpConnectionFailed", 401), message }, now)).toMatchObject({
    kind: "auth",
    message: "unexpected status 401 Unauthorized: Incorrect API key provided",
  });
});

test("AGENT-2: a retry's reason is in its details, and a used-up window states the reset", () => {
  const additionalDetails = "unexpected status 429 Too Many Requests";
  const error = {
    message: "Reconnecting... 2/5",
    codexErrorInfo: status("httpConnectionFailed", 429),
    additionalDetails,
  };
  const resets = reopensAt({
    primary: { usedPercent: 100, resetsAt: 1795365812 },
    secondary: { usedPercent: 40, resetsAt: 1 },
  });
  expect(turnFailure(error, now, resets)).toMatchObject({
    kind: "rate_limit",
    message: additionalDetails,
    resetAt: "2026-11-22T16:43:32.000Z",
  });
  expect(reopensAt({ primary: { usedPercent: 99, resetsAt: 5 }, secondary: null })).toBeNull();
});
