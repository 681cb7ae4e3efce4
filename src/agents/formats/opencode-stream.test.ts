import { describe, expect, test } from "vitest";
import { silentHost } from "../../../test/fakes/session-host.ts";
import type { AgentError } from "../agent.ts";
import type { ProgramExit, Reading } from "../session/session-stream.ts";
import { opencodeFormat, opencodeStream } from "./opencode-stream.ts";

const exited = (exitCode: number): ProgramExit => ({ exitCode, signal: null, overdue: false });

function read(
  events: readonly object[],
  {
    exit = exited(0),
    stderr = [],
  }: { readonly exit?: ProgramExit; readonly stderr?: readonly string[] } = {},
): Reading {
  const stream = opencodeStream(silentHost({ now: () => new Date("2026-11-20T12:00:00Z") }));
  for (const event of events) stream.line?.(JSON.stringify(event));
  for (const line of stderr) stream.errorLine?.(line);
  stream.ended?.(exit);
  return stream.reading();
}

const begun = { type: "step_start", sessionID: "s", part: { type: "step-start" } };
const finished = (reason: string) => ({
  type: "step_finish",
  sessionID: "s",
  part: { reason, tokens: { input: 5, output: 2, reasoning: 1, cache: { read: 3, write: 1 } }, cost: 0 },
});
const failed = (name: string, data: object = {}) => ({ type: "error", error: { name, data } });
const tool = (state: object) => ({ type: "tool_use", part: { tool: "bash", state } });

test.each([
  [failed("ProviderAuthError", { message: "no credentials for anthropic" }), "auth"],
  [failed("APIError", { message: "Unauthorized", statusCode: 401 }), "auth"],
  [failed("APIError", { message: "Rate limit reached", statusCode: 429, isRetryable: true }), "rate_limit"],
  [failed("APIError", { message: "Bad Gateway", statusCode: 502 }), "overloaded"],
  [failed("APIError", { message: "credit balance is too low", statusCode: 400 }), "credit"],
  [failed("ContextOverflowError", { message: "the input is too long" }), "context_full"],
  [failed("MessageOutputLengthError"), "bad_output"],
  [failed("MessageAbortedError", { message: "aborted" }), "killed"],
  [failed("UnknownError", { message: "fetch failed: ECONNREFUSED" }), "network"],
  [failed("UnknownError", { message: "Model not found: fake/m9." }), "not_found"],
  [failed("UnknownError", { message: "undefined is not a function" }), "crash"],
  [failed("APIError", { message: "Invalid schema for function", statusCode: 400 }), "crash"],
])("AGENT-2: the event %j ends the session as %s", (event, kind) => {
  expect(read([begun, event], { exit: exited(1) }).failure?.kind).toBe(kind);
});

test("AGENT-2: an error without a cause before the first step is a start that was refused", () => {
  const event = failed("UnknownError", {
    message: "Unexpected server error. Check server logs for details.",
  });
  expect(read([event], { exit: exited(1) }).failure?.kind).toBe("unusable");
  const help = [
    "opencode run [message..]",
    "Positionals:",
    "  message  message to send",
    "Options:",
    "  -h, --help",
  ];
  expect(read([], { exit: exited(1), stderr: help }).failure).toMatchObject({
    kind: "unusable",
    message: "it printed its help: it rejected an argument",
  });
});

test("AGENT-2: the log states the reason of an error that an event names by its reference", () => {
  const data = { message: "Unexpected server error. Check server logs for details.", ref: "err_97406ef5" };
  const stderr = [
    'timestamp=2026-11-22T16:40:20.613Z level=ERROR message="share subscriber failed" cause="Cause([Fail(x)])"',
    'timestamp=2026-11-22T16:40:20.663Z level=ERROR message=failed ref=err_97406ef5 error="ProviderModelNotFoundError: Model not found: fake/nope." cause="…"',
  ];
  expect(read([failed("UnknownError", data)], { exit: exited(1), stderr }).failure).toMatchObject({
    kind: "not_found",
    message: "Model not found: fake/nope.",
  });
});

test("LOOP-8: opencode is asked to print its errors, which state limits; the user's own values win", () => {
  expect(opencodeFormat.env({})).toEqual({ OPENCODE_PRINT_LOGS: "1", OPENCODE_LOG_LEVEL: "ERROR" });
  expect(opencodeFormat.env({ OPENCODE_LOG_LEVEL: "DEBUG" })["OPENCODE_LOG_LEVEL"]).toBe("DEBUG");
});

describe("the end of a session", () => {
  test("is a last step that stopped; after a step that called tools, the session continues", () => {
    expect(read([begun, finished("tool-calls"), begun, finished("stop")]).terminal).toBe("ok");
    expect(read([begun, finished("tool-calls")]).terminal).toBeNull();
    expect(read([begun, finished("stop"), begun]).terminal).toBeNull();
    expect(read([begun, finished("length")]).failure?.kind).toBe("bad_output");
  });

  test("AGENT-2: tokens of all steps count; a model without a price costs an unknown amount", () => {
    const { tokens, costUsd, contextUsed } = read([begun, finished("tool-calls"), begun, finished("stop")]);
    expect(tokens).toEqual({ input: 10, output: 6, cacheRead: 6, cacheWrite: 2 });
    expect([costUsd, contextUsed]).toEqual([null, 9]);
  });

  test("AGENT-4: a refused permission that ends the run is the error, and its hint says where to allow it", () => {
    const error = "The user rejected permission to use this specific tool call.";
    const refused = tool({ status: "error", input: { command: "npm install" }, error });
    const reading = read([begun, refused, finished("tool-calls")]);
    expect(reading.permissionDenials).toEqual(["bash(npm install)"]);
    expect(reading.failure).toMatchObject({
      kind: "permission",
      hint: expect.stringContaining("permission"),
    });
    // A denial on the way does not matter to a session that ends well.
    expect(read([begun, refused, finished("tool-calls"), begun, finished("stop")]).failure).toBeNull();
  });

  test("AGENT-2: no event at all until a time limit is a limit that it retries silently", () => {
    const overdue = { exitCode: null, signal: "SIGKILL", overdue: true };
    expect(read([], { exit: overdue }).retrying?.kind).toBe("rate_limit");
    expect(read([begun], { exit: overdue }).retrying).toBeNull();
    expect(read([], { exit: exited(0) }).retrying).toBeNull();
  });
});

test("LOOP-8: limits in the log on stderr end the session within a minute, progress in between does not", () => {
  const waiting: { ms: number; callback: () => void }[] = [];
  const errors: AgentError[] = [];
  const stream = opencodeStream(
    silentHost({
      fail: (error) => void errors.push(error),
      after: (ms, callback) => {
        const timer = { ms, callback };
        waiting.push(timer);
        return () => void waiting.splice(waiting.indexOf(timer), 1);
      },
    }),
  );
  const logged =
    'timestamp=2026-11-22T16:19:51.439Z level=ERROR message="stream error" modelID=m1 small=false error.error="AI_APICallError: Rate limit reached"';
  stream.errorLine?.(logged.replace("small=false", "small=true"));
  stream.errorLine?.(logged);
  stream.errorLine?.(logged);
  expect(waiting).toHaveLength(1);
  stream.line?.(JSON.stringify(finished("tool-calls")));
  expect(waiting).toHaveLength(0);
  stream.errorLine?.(logged);
  expect(waiting[0]?.ms).toBeLessThan(60_000);
  waiting[0]?.callback();
  expect(errors).toMatchObject([{ kind: "rate_limit", message: "Rate limit reached" }]);
});
