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
