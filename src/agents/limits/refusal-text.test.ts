import { expect, test } from "vitest";
import type { AgentOutput } from "../port/session-stream.ts";
import { refusalIn } from "./refusal-text.ts";

const words = (changes: Partial<AgentOutput>): AgentOutput => ({
  stderr: "",
  finalMessage: "",
  isFinal: false,
  now: new Date("2026-11-20T12:00:00Z"),
  ...changes,
});
const work = "Reading src/limit.ts\nRunning npm test\n";

test.each([
  ["You've hit your limit · resets 1pm (UTC)\n", "rate_limit", "2026-11-20T13:00:00.000Z"],
  ["Claude AI usage limit reached|1795198800", "rate_limit", "2026-11-20T18:20:00.000Z"],
  ["You have exhausted your daily quota on this model.", "rate_limit", null],
  [
    "Usage limit reached for 5 hour. Your limit will reset at 2026-11-20 19:01:25 UTC",
    "rate_limit",
    "2026-11-20T19:01:25.000Z",
  ],
  ["Credit balance is too low", "credit", null],
  ["Invalid API key · Please run /login", "auth", null],
  ['API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}', "overloaded", null],
  ["API Error: Connection error.", "network", null],
])("LOOP-8: a stdout or a final message that is nothing but a refusal: %s", (said, kind, resetAt) => {
  expect(refusalIn(words({ finalMessage: said }))).toMatchObject({ kind, resetAt });
  expect(refusalIn(words({ finalMessage: said, isFinal: true }))).toMatchObject({ kind, resetAt });
});

test.each([
  ["ERROR: You've hit your usage limit. Upgrade to Pro or try again in 3 hours 2 minutes.", "rate_limit"],
  ["■ exceeded retry limit, last status: 429 Too Many Requests, request id: 9c84b52c-SJC", "rate_limit"],
  ["[2026-11-20T12:00:00] ERROR: unexpected status 401 Unauthorized: Incorrect API key", "auth"],
  ["Error: stream disconnected before completion: error sending request for url (http://x/)", "network"],
])("LOOP-8: a text agent that fails with a refusal at the end of its stderr: %s", (line, kind) => {
  expect(
    refusalIn(words({ stderr: `${work}${line}\ntokens used: 1,204\n`, finalMessage: "half a thought" })),
  ).toMatchObject({ kind });
  expect(refusalIn(words({ stderr: `${line}\n${work.repeat(5)}` }))).toBeNull();
});

test.each([
  "npm error code ERESOLVE while resolving express-rate-limit@7.1.0",
  "Error: 429 Too Many Requests\n    at fetchLimit (/project/src/limit.ts:429:5)",
  "FAIL src/limit.test.ts > answers 429 Too Many Requests when the rate limit is reached",
  "expected 'Invalid API key' to be 'You have hit your limit'",
  "AssertionError: usage limit reached|1795198800 was not thrown",
  "I could not finish: the limiter says You've hit your limit · resets 1pm",
  "Cannot find module 'ratelimit'",
  "The service answers 401 Unauthorized and 503 Service Unavailable",
])("LOOP-8: words of the work are no refusal, wherever a failing agent prints them: %s", (line) => {
  expect(refusalIn(words({ stderr: line }))).toBeNull();
  expect(refusalIn(words({ finalMessage: line }))).toBeNull();
  expect(refusalIn(words({ finalMessage: line, isFinal: true }))).toBeNull();
});

test.each([
  "You've hit your usage limit is the text that the page shows now.",
  "`You've hit your limit · resets 1pm` is what the fixture says; nothing had to change.",
  "> You've hit your limit · resets 1pm (UTC)",
  "Usage limit reached for 5 hour windows is now shown in the header.",
  "- Session limit reached ∙ resets 8pm",
  "API error handling for 429 Too Many Requests was there already.",
  "API error: 429 is mapped to a rate limit, so there is nothing to do.",
  "Not logged in users are sent to /login already.",
  "Invalid API key errors are shown already.",
  "I found the cause.\nYou've hit your limit · resets 1pm (UTC)",
  "Rate limit reached for the first time is now logged.",
  "You've hit your limit · resets 1pm (UTC)\n<task-done>t-1</task-done>",
  "You've hit your limit · resets 1pm (UTC)\nThe log says so.\nI then looked at the code.\nNothing is wrong.",
])("LOOP-8: a final message that only mentions a limit is no limit text: %s", (said) => {
  expect(refusalIn(words({ finalMessage: said, isFinal: true }))).toBeNull();
});

test("LOOP-8: a refusal quoted in a longer answer is not the agent's own", () => {
  const said = "I looked at the log.\nIt says:\nYou've hit your limit · resets 1pm\nso the job failed.";
  expect(refusalIn(words({ finalMessage: said }))).toBeNull();
});
