import { expect, test } from "vitest";
import { silentHost } from "../../../test/fakes/session-host.ts";
import type { AgentActivity, AgentError } from "../agent.ts";
import type { Reading } from "../session/session-stream.ts";
import { geminiStream } from "./gemini-stream.ts";

const begun = { type: "init", session_id: "s", model: "gemini-2.5-flash" };
const said = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
const ended = (error?: object) => ({ type: "result", status: error ? "error" : "success", error, stats: {} });

function read(events: readonly object[], exitCode = 0, stderr: readonly string[] = []): Reading {
  const stream = geminiStream(silentHost({ now: () => new Date("2026-11-20T12:00:00Z") }));
  for (const line of stderr) stream.errorLine?.(line);
  for (const event of events) stream.line?.(JSON.stringify(event));
  stream.ended?.({ exitCode, signal: null, overdue: false });
  return stream.reading();
}

test.each([
  [
    { type: "unknown", message: '[API Error: {"error":{"code":403,"message":"Forbidden"}}]' },
    "auth",
    "Forbidden",
  ],
  [
    {
      type: "unknown",
      message: `[API Error: ${JSON.stringify({ error: { message: '{"error":{"code":503,"message":"The model is overloaded."}}', code: 503 } })}]`,
    },
    "overloaded",
    "The model is overloaded.",
  ],
  [
    { type: "TerminalQuotaError", message: "You have exhausted your daily quota on this model." },
    "rate_limit",
    "You have",
  ],
  [{ type: "unknown", message: "[API Error: terminated]" }, "network", "connection closed"],
  [{ type: "FatalTurnLimitedError", message: "Reached max session turns" }, "max_turns", "Reached"],
  [{ type: "FatalAuthenticationError", message: "no credentials" }, "auth", "no credentials"],
  [
    {
      type: "unknown",
      message:
        '[API Error: {"error":{"code":400,"message":"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."}}]',
    },
    "context_full",
    "The input token count",
  ],
])("AGENT-2: the result's error %j is %s", (error, kind, message) => {
  const { failure } = read([begun, ended(error)], 1);
  expect(failure?.kind).toBe(kind);
  expect(failure?.message.startsWith(message)).toBe(true);
});

test("LOOP-8: a quota of the Gemini API is a limit, although it names the plan and billing", () => {
  const words = "You exceeded your current quota, please check your plan and billing details.";
  const body = JSON.stringify({ error: { code: 429, message: words, status: "RESOURCE_EXHAUSTED" } });
  const error = { type: "unknown", message: `[API Error: ${body}]` };
  expect(read([begun, ended(error)], 173).failure).toMatchObject({ kind: "rate_limit", message: words });
  const retried = read([begun], 0, [
    `Attempt 1 failed with status 429. Retrying with backoff... _ApiError: ${body}`,
  ]);
  expect(retried.retrying).toMatchObject({ kind: "rate_limit", message: words });
});

test("LOOP-8: a limit ends when its retry delay says", () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }];
  const message = `[API Error: ${JSON.stringify({ error: { code: 429, message: "Quota exceeded", details } })}]`;
  const { failure } = read([begun, ended({ type: "unknown", message })], 173);
  expect(failure).toMatchObject({
    kind: "rate_limit",
    resetAt: "2026-11-20T12:00:34.000Z",
    message: "Quota exceeded",
  });
});

test.each([
  [41, "auth", "Please set an Auth method in your settings"],
  [42, "unusable", "No input provided via stdin"],
  [52, "unusable", "Invalid JSON in settings.json"],
  [53, "max_turns", "Reached max session turns"],
  [55, "permission", "Gemini CLI is not running in a trusted directory"],
  [1, "unusable", "Unknown argument: nosuch"],
])("AGENT-2: exit code %i before a result is %s", (code, kind, words) => {
  expect(read([], code, [words]).failure).toMatchObject({ kind, message: words });
});

test("AGENT-2: text after the last tool is the message; exit code 0 without a result is a signal's end", () => {
  const use = {
    type: "tool_use",
    tool_name: "run_shell_command",
    tool_id: "1",
    parameters: { command: "ls" },
  };
  const reading = read([begun, said("I look."), use, said("All "), said("done."), ended()]);
  expect(reading).toMatchObject({ finalMessage: "All done.", terminal: "ok", failure: null });
  expect(read([begun, said("I look."), use]).failure?.kind).toBe("killed");
  expect(read([]).failure).toBeNull();
});

test("AGENT-2: a tool that a policy denied is a denial", () => {
  const use = {
    type: "tool_use",
    tool_name: "run_shell_command",
    tool_id: "1",
    parameters: { command: "rm x" },
  };
  const error = { type: "policy", message: "Tool execution denied by policy." };
  const denied = { type: "tool_result", tool_id: "1", status: "error", error };
  expect(read([begun, use, denied, said("No."), ended()]).permissionDenials).toEqual([
    "run_shell_command(rm x)",
  ]);
});

test("LOOP-8: retries on stderr end the session within a minute; an answer clears them", () => {
  const errors: AgentError[] = [];
  let timer: () => void = () => undefined;
  const stream = geminiStream(
    silentHost({
      fail: (error) => void errors.push(error),
      after: (ms, callback) => {
        expect(ms).toBeLessThan(60_000);
        timer = callback;
        return () => {
          timer = () => undefined;
        };
      },
    }),
  );
  stream.errorLine?.(
    "Attempt 1 failed with status 503. Retrying with backoff... _ApiError: Service Unavailable",
  );
  expect(stream.reading().retrying?.kind).toBe("overloaded");
  stream.line?.(JSON.stringify(said("Hello")));
  expect(stream.reading().retrying).toBeNull();
  timer();
  expect(errors).toEqual([]);
  stream.errorLine?.(
    'Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429,"message":"Quota."}}',
  );
  timer();
  expect(errors).toMatchObject([{ kind: "rate_limit", message: "Quota." }]);
});

test("TRUST-1, AGENT-3: a message is shown once it is whole, so that no part of a secret is shown", () => {
  const shown: AgentActivity[] = [];
  const stream = geminiStream(silentHost({ onActivity: (activity) => void shown.push(activity) }));
  const use = { type: "tool_use", tool_name: "read_file", tool_id: "1", parameters: { path: "a.txt" } };
  for (const event of [begun, said("The token "), said("is x."), use, said("Do"), said("ne."), ended()])
    stream.line?.(JSON.stringify(event));
  expect(shown).toEqual([
    { kind: "text", text: "The token is x." },
    { kind: "tool", text: "read_file a.txt" },
    { kind: "text", text: "Done." },
  ]);
});
