import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { AgentRequest, AgentResult, Steer } from "../../src/agents/port/agent.ts";
import { safe } from "../../src/base/safe-text.ts";
import type { Permission } from "../../src/base/shared-settings.ts";
import { newRequestIn } from "../fakes/agent-request.ts";
import { fakeEnv, fakeProgram, newToken } from "../fakes/fake.ts";
import { newKnown } from "../fakes/new-agent.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralph-pi-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Fields = Readonly<Record<string, unknown>>;

interface Setup {
  readonly permission?: Permission;
  readonly changes?: Partial<AgentRequest>;
}

async function session(
  script: { readonly steps?: readonly Fields[]; readonly refuse?: string },
  { permission = "edit", changes = {} }: Setup = {},
): Promise<{ readonly result: AgentResult; readonly sent: (type: string) => readonly Fields[] }> {
  const record = join(folder, `${newToken()}.jsonl`);
  const agent = newKnown("pi", {
    program: fakeProgram("pi-rpc"),
    permission,
    env: { ...fakeEnv, RALPH_FAKE_SCRIPT: JSON.stringify({ record, steps: [], ...script }) },
  });
  const result = await agent.run(newRequestIn(folder, { model: "default", ...changes }));
  const lines = existsSync(record) ? readFileSync(record, "utf8").trim().split("\n") : [];
  const messages = lines.map((line) => JSON.parse(line) as Fields);
  return { result, sent: (type) => messages.filter((message) => message["type"] === type) };
}

const done = { end: {} };

describe.concurrent("pi", () => {
  test.each<[Permission, readonly string[], boolean]>([
    ["plan", ["--tools", "read,grep,find,ls"], true],
    ["ask", [], false],
    ["edit", [], true],
    ["shell", [], true],
    ["bypass", [], false],
  ])("AGENT-3 AGENT-4: %s adds %j, with ralph's extension: %s", (permission, tools, isGated) => {
    const request = newRequestIn(folder, { model: "local/m1:xhigh" });
    const {
      argv,
      env,
      files = {},
    } = newKnown("pi", { permission, extraArgs: ["--no-skills"] }).command(request);
    const gate = join(request.tmpDir, "ralph-session.js");
    const model = ["--model", "local/m1", "--thinking", "xhigh"];
    expect(argv).toEqual([
      ...["pi", "--mode", "rpc", ...model, ...tools],
      ...(isGated ? ["--extension", gate] : []),
      "--no-skills",
    ]);
    // It reports retries of its API on stderr only.
    expect(env).toMatchObject({ OPENAI_LOG: "info" });
    expect(Object.keys(files)).toEqual(isGated ? [gate] : []);
    const answering = newKnown("pi", { permission, readOnly: true }).command(request).argv;
    expect(answering.slice(-4)).toEqual([
      "--no-tools",
      "--no-context-files",
      "--no-skills",
      "--no-extensions",
    ]);
    const own = newKnown("pi", { permission }).command({ ...request, model: "default" });
    expect(own.argv).not.toContain("--model");
    const most = newKnown("pi", { permission }).command({ ...request, model: "local/m1:max" });
    expect([most.argv, Object.values(most.files ?? {})]).toEqual([
      expect.arrayContaining(["--thinking", "xhigh"]),
      [expect.stringContaining('setThinkingLevel("max")')],
    ]);
  });

  test("AGENT-7: it is asked to log the requests that it repeats in silence", () => {
    expect(newKnown("pi").command(newRequestIn(folder)).env).toMatchObject({ OPENAI_LOG: "info" });
  });

  test("AGENT-4: commands and changes are allowed by the level, and every refusal is reported", async () => {
    const journal = { path: "/state/journals/a.md", folder: "/state/journals", change: "a" };
    const calls: readonly Fields[] = [
      { call: ["bash", { command: "npm test -- a" }] },
      { call: ["bash", { command: "npm install" }] },
      { call: ["write", { path: "src/a.ts" }] },
      { call: ["write", { path: "/state/journals/a.md" }] },
      { call: ["edit", { path: "../b.ts" }] },
      { call: ["write", { path: "~/c.ts" }] },
      { call: ["write", { path: "@/etc/d" }] },
      { call: ["deploy", {}] },
    ];
    const steps = [...calls, { ask: { method: "select", title: "Which?" } }, { say: "ANSWERS" }, done];
    const changes = { journal, allowedCommands: ["npm test"] };
    const answersAt = async (permission: Permission) =>
      (await session({ steps }, { permission, changes })).result;
    const edit = await answersAt("edit");
    const cancelled = '{"cancelled":true}';
    expect(edit.finalMessage).toBe(`true false true true false false false false ${cancelled}`);
    expect(edit.permissionDenials).toEqual([
      "bash(npm install)",
      "edit(../b.ts)",
      "write(/~/c.ts)",
      "write(/etc/d)",
      "deploy()",
    ]);
    const shell = await answersAt("shell");
    expect(shell.finalMessage).toBe(`true true true true false false false false ${cancelled}`);
    const plan = await answersAt("plan");
    expect(plan.finalMessage).toBe(`false false false false false false false false ${cancelled}`);
  });

  test("AGENT-4: a session whose tools do not ask is ended, unless it may do everything", async () => {
    const ran = { event: { type: "tool_execution_end", toolName: "bash", isError: false } };
    const unknown = { event: { type: "tool_execution_end", toolName: "deploy", isError: true } };
    const steps = [unknown, { call: ["bash", { command: "ls" }] }, ran, { say: "Done." }, done];
    expect((await session({ steps }, { permission: "shell" })).result.error).toBeNull();
    const silent = [ran, { say: "Done." }, done];
    const ended = await session({ steps: silent }, { permission: "shell" });
    expect(ended.result.error).toMatchObject({
      kind: "unusable",
      message: "pi ran bash without asking ralph",
    });
    expect((await session({ steps: silent }, { permission: "bypass" })).result.error).toBeNull();
  });

  test("AGENT-2 AGENT-7: tokens, cost, context, compactions and the session are reported", async () => {
    const compacted = { event: { type: "compaction_start", reason: "threshold" } };
    const { result } = await session({ steps: [{ say: "One." }, compacted, { say: "Two." }, done] });
    expect(result).toMatchObject({
      error: null,
      finalMessage: "Two.",
      model: "m",
      sessionId: "s1",
      tokens: { input: 20, output: 4, cacheRead: 6, cacheWrite: 8 },
      costUsd: 1,
      contextUsed: 17,
      contextSize: 1000,
      compactions: 1,
    });
  });

  test("AGENT-7: a message is taken when pi reads it, once, and none after its end", async () => {
    let steer: Steer = async () => false;
    const onSteerable = (given: Steer): void => {
      steer = given;
    };
    const heard: Promise<boolean>[] = [];
    const onActivity = (): void => {
      if (heard.length === 0) heard.push(steer(safe`look at b.ts`));
    };
    const work = { event: { type: "tool_execution_start", toolName: "bash", args: { command: "sleep 1" } } };
    const { result, sent } = await session(
      { steps: [work, { steered: true }, done] },
      { changes: { onSteerable, onActivity } },
    );
    expect(result).toMatchObject({ error: null, finalMessage: "heard: look at b.ts" });
    expect(await Promise.all(heard)).toEqual([true]);
    expect(sent("steer")).toMatchObject([{ message: "look at b.ts" }]);
    expect(await steer(safe`too late`)).toBe(false);

    const unread: Promise<boolean>[] = [];
    const early = (given: Steer): void => void unread.push(given(safe`never read`));
    expect((await session({ steps: [done] }, { changes: { onSteerable: early } })).result.error).toBeNull();
    expect(await Promise.all(unread)).toEqual([false]);
  });

  test("AGENT-2 LOOP-8: a failed answer is the session's error, one before a retry that succeeds is not", async () => {
    const failed = (errorMessage: string) => ({ end: { stopReason: "error", errorMessage } });
    const refused = await session({ steps: [failed("401 Incorrect API key provided")] });
    expect(refused.result).toMatchObject({ exitCode: 0, error: { kind: "auth" } });
    const retry = { type: "auto_retry_start", attempt: 1, maxAttempts: 3, errorMessage: "500 error" };
    const over = { type: "auto_retry_end", success: true, attempt: 1 };
    const steps = [
      failed("500 error"),
      { event: retry },
      { event: { type: "agent_start" } },
      { say: "Fine." },
      { event: over },
      done,
    ];
    expect((await session({ steps })).result).toMatchObject({ error: null, finalMessage: "Fine." });
    const gaveUp = { type: "auto_retry_end", success: false, attempt: 3, finalError: "500 error" };
    const lost = await session({ steps: [failed("500 error"), { event: gaveUp }] });
    expect(lost.result.error?.kind).toBe("overloaded");
    const full = "400 prompt is too long: 210000 tokens > 200000 maximum";
    const compact = [
      { event: { type: "compaction_start", reason: "overflow" } },
      { event: { type: "compaction_end", reason: "overflow", willRetry: true } },
      { event: { type: "agent_start" } },
      { say: "Made room." },
      done,
    ];
    const roomy = await session({ steps: [failed(full), ...compact] });
    expect(roomy.result).toMatchObject({ error: null, finalMessage: "Made room.", compactions: 1 });
    const nobody = await session({ refuse: "No API key found for the selected model." });
    expect(nobody.result.error).toMatchObject({ kind: "auth", hint: expect.stringContaining("/login") });
  });

  test("UX-1: it says of itself that nobody is logged in", async () => {
    const probe = await newKnown("pi", { program: fakeProgram("pi-rpc") }).probe();
    expect(probe).toMatchObject({ found: true, version: "0.73.1", problem: { detail: "not logged in" } });
  });
});
