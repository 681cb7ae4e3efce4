import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { done, modes, sessionsIn } from "../fakes/acp-session.ts";
import { variants } from "../test-size.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralph-acp-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const session = sessionsIn(folder);

describe.concurrent("usage", () => {
  test("AGENT-2: tokens, cost, context and compactions come from the protocol", async () => {
    const usage = {
      inputTokens: 303,
      outputTokens: 60,
      thoughtTokens: 5,
      cachedReadTokens: 150,
      cachedWriteTokens: 90,
    };
    const steps = [
      {
        update: {
          sessionUpdate: "usage_update",
          used: 100,
          size: 200_000,
          cost: { amount: 0.5, currency: "USD" },
        },
      },
      { update: { sessionUpdate: "compaction_update", compactionId: "x", status: "in_progress" } },
      { update: { sessionUpdate: "compaction_update", compactionId: "x", status: "completed" } },
      {
        update: {
          sessionUpdate: "usage_update",
          used: 201,
          size: 200_000,
          cost: { amount: 0.75, currency: "USD" },
        },
      },
      { end: { stopReason: "end_turn", usage } },
    ];
    expect((await session({ steps })).result).toMatchObject({
      tokens: { input: 303, output: 65, cacheRead: 150, cacheWrite: 90 },
      costUsd: 0.75,
      costSource: "measured",
      contextUsed: 201,
      contextSize: 200_000,
      compactions: 1,
      stopReason: "end_turn",
    });
  });

  test("AGENT-2: the quota of Gemini names tokens and the model; what is not stated is unknown", async () => {
    const count = { input_tokens: 401, output_tokens: 40 };
    const quota = { token_count: count, model_usage: [{ model: "gemini-2.5-flash", token_count: count }] };
    const gemini = await session({ steps: [{ end: { stopReason: "end_turn", _meta: { quota } } }] });
    expect(gemini.result).toMatchObject({
      model: "gemini-2.5-flash",
      tokens: { input: 401, output: 40, cacheRead: 0, cacheWrite: 0 },
    });
    const euro = { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 3, currency: "EUR" } };
    const nothing = await session({ steps: [{ update: euro }, done] });
    expect(nothing.result).toMatchObject({
      tokens: null,
      costUsd: null,
      costSource: null,
      compactions: null,
    });
  });
});

describe.concurrent("failures", () => {
  test("AGENT-2: an error answer is the session's error", async () => {
    const error = { code: 401, message: "Incorrect API key provided" };
    const { result } = await session({ steps: [{ error }] });
    expect(result).toMatchObject({
      exitCode: 0,
      error: { kind: "auth", message: "Incorrect API key provided" },
    });
  });

  test.each(
    variants(
      [
        ["max_tokens", "bad_output"],
        ["max_turn_requests", "max_turns"],
        ["refusal", "bad_output"],
        ["cancelled", "killed"],
        ["something_new", "bad_output"],
      ],
      2,
    ),
  )("AGENT-2: the stop reason %s is %s", async (stopReason, kind) => {
    const { result } = await session({ steps: [{ say: "So far so good" }, { end: { stopReason } }] });
    expect(result).toMatchObject({ stopReason, error: { kind }, finalMessage: "So far so good" });
  });

  test("AGENT-2: a session that cannot be opened is reported with the person's next step", async () => {
    const refuse = { "session/new": { code: -32000, message: "Authentication required" } };
    const login = await session({ refuse, steps: [] });
    expect(login.result.error).toMatchObject({ kind: "auth", hint: expect.stringContaining("Log in") });
    const newer = await session({ initialize: { protocolVersion: 2 }, steps: [] });
    expect(newer.result.error).toMatchObject({
      kind: "unusable",
      message: expect.stringContaining("version 2"),
    });
    const set = { "session/set_mode": { code: -32602, message: "no such mode" } };
    const mode = await session({ refuse: set, open: modes("default", "autoEdit"), steps: [done] });
    expect(mode.result.error).toMatchObject({
      kind: "unusable",
      message: expect.stringContaining("no such mode"),
    });
    expect(mode.sent("session/prompt")).toEqual([]);
  });
});

test("LOOP-10: a stop is also sent by the protocol", async () => {
  const stop = new AbortController();
  const script = { steps: [{ write: { [join(folder, "began")]: "" } }, { hang: true }] };
  const logFile = join(folder, "stopped.log");
  const ended = session(script, { changes: { signal: stop.signal, logFile } });
  while (!existsSync(join(folder, "began"))) await new Promise((resolve) => setTimeout(resolve, 20));
  stop.abort();
  const { result } = await ended;
  expect(result.error?.kind).toBe("cancelled");
  expect(readFileSync(logFile, "utf8")).toContain('"method":"session/cancel","params":{"sessionId":"s1"}');
});

describe.concurrent("what some agents do otherwise", () => {
  test("AGENT-4: the tool's name that Qwen Code states in `_meta` shows that it is ralph's own", async () => {
    const ask = { toolCallId: "c1", title: "Store it", kind: "other", rawInput: { lesson: "x" } };
    const named = { ...ask, _meta: { toolName: "mcp__ralph__memory_store" } };
    const other = { ...ask, toolCallId: "c2", _meta: { toolName: "mcp__other__memory_store" } };
    const { result } = await session({ steps: [{ ask: named }, { ask: other }, done] });
    expect(result).toMatchObject({ finalMessage: "allow_once;reject_once;" });
  });

  test.each([
    ["Error: Authentication failed with provider at https://x.test (HTTP 401)", "auth"],
    ["Error: 500 Something broke (HTTP 500)", "overloaded"],
    ["The server answers Error: Authentication failed (HTTP 401)", null],
  ])("LOOP-8: the whole message %s of Copilot, without usage, is the error %s", async (say, kind) => {
    const { result } = await session({ steps: [{ say }, done] });
    expect(result.error?.kind ?? null).toBe(kind);
  });

  test("AGENT-4: an agent that opens no session before `authenticate` is asked for it, by a key only (Cline)", async () => {
    const refuse = { "session/new": { code: -32000, message: "Call authenticate" } };
    const ways = (...ids: readonly string[]) => ({ authMethods: ids.map((id) => ({ id, name: id })) });
    const opened = await session({
      refuse,
      initialize: ways("browser", "cline-api-key"),
      steps: [{ say: "x" }, done],
    });
    expect([opened.result.error, opened.sent("authenticate")]).toEqual([
      null,
      [{ methodId: "cline-api-key" }],
    ]);
    const closed = await session({ refuse, initialize: ways("oauth-personal"), steps: [done] });
    expect([closed.result.error?.kind, closed.sent("authenticate")]).toEqual(["auth", []]);
  });

  test("LOOP-8: an unknown error after silent retries is an outage", async () => {
    const stderr = "retry attempt 1: upstream says no";
    const error = {
      code: -32603,
      message: "Internal error: upstream says no",
      data: { errorName: "APIError" },
    };
    const pause = { waitMs: 100 };
    const after = await session({ steps: [{ stderr }, { stderr }, pause, { error }] });
    const once = await session({ steps: [{ error }] });
    expect([after.result.error?.kind, once.result.error?.kind]).toEqual(["overloaded", "crash"]);
  });
});
