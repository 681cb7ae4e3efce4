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

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralph-codex-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Fields = Readonly<Record<string, unknown>>;

interface Setup {
  readonly permission?: Permission;
  readonly changes?: Partial<AgentRequest>;
  readonly tools?: readonly [string, ...string[]] | null;
  readonly env?: Readonly<Record<string, string>>;
}

async function session(
  script: { readonly steps: readonly Fields[]; readonly refuse?: Fields },
  { permission = "edit", changes = {}, tools = null, env = {} }: Setup = {},
): Promise<{ readonly result: AgentResult; readonly sent: (method: string) => readonly Fields[] }> {
  const record = join(folder, `${newToken()}.jsonl`);
  const agent = newKnown("codex", {
    program: fakeProgram("codex-server"),
    permission,
    tools,
    env: { ...fakeEnv, ...env, RALPH_FAKE_SCRIPT: JSON.stringify({ record, ...script }) },
  });
  const result = await agent.run(newRequestIn(folder, { model: "default", ...changes }));
  const lines = existsSync(record) ? readFileSync(record, "utf8").trim().split("\n") : [];
  const messages = lines.map((line) => JSON.parse(line));
  const sent = (method: string) =>
    messages.filter((message) => message.method === method).map(({ params }) => params);
  return { result, sent };
}

const done = { end: { status: "completed" } };

describe.concurrent("codex", () => {
  test.each<[Permission, Fields, boolean]>([
    ["plan", { approvalPolicy: "untrusted", sandbox: "read-only", config: {} }, false],
    ["ask", { config: {} }, false],
    ["edit", { approvalPolicy: "on-request", sandbox: "workspace-write" }, true],
    ["shell", { approvalPolicy: "on-request", sandbox: "workspace-write" }, true],
    ["bypass", { approvalPolicy: "never", sandbox: "danger-full-access", config: {} }, false],
  ])(
    "AGENT-4 JOURNAL-2: %s is the policy %j, the journal's folder writable",
    async (permission, policy, bounded) => {
      const journal = { path: "/state/journals/a.md", folder: "/state/journals", change: "a" };
      const changes = { journal, model: "gpt-x:high", tmpDir: mkdtempSync(join(folder, "own-")) };
      const { result, sent } = await session({ steps: [{ say: "Done." }, done] }, { permission, changes });
      const roots = { sandbox_workspace_write: { writable_roots: [changes.tmpDir, "/state/journals"] } };
      const [started] = sent("thread/start");
      expect(started).toEqual({ cwd: folder, model: "gpt-x", ...policy, ...(bounded && { config: roots }) });
      expect(sent("turn/start")).toMatchObject([{ threadId: "s1", effort: "high" }]);
      expect(result).toMatchObject({
        error: null,
        finalMessage: "Done.",
        model: "gpt-x",
        sessionId: "s1",
        stopReason: "completed",
      });
    },
  );

  test("AGENT-4: commands and changes are allowed by the level, and every refusal is reported", async () => {
    const steps = [
      { run: "npm install" },
      { run: "npm test" },
      { run: "npm test && rm -rf ." },
      { change: [join(folder, "a.ts"), "b.ts"] },
      { change: ["/etc/passwd"] },
      { request: ["item/permissions/requestApproval", { reason: "network" }] },
      { request: ["mcpServer/elicitation/request", { serverName: "jira", message: "close it?" }] },
      { say: "ANSWERS" },
      done,
    ];
    const { result } = await session({ steps }, { changes: { allowedCommands: ["npm test"] } });
    expect(result.finalMessage).toBe(
      'decline accept decline accept decline {"permissions":{},"scope":"turn"} {"action":"decline","content":null,"_meta":null}',
    );
    expect(result.permissionDenials).toEqual([
      "command(npm install)",
      "command(npm test && rm -rf .)",
      "edit(/etc/passwd)",
      "permissions(network)",
      "jira(close it?)",
    ]);
  });

  test("AGENT-6: ralph's tools are required, with their variables by name", async () => {
    const agent = newKnown("codex", { tools: ["node", "ralph.js", "mcp"], env: fakeEnv });
    const service = { env: { RALPH_SOCKET: "/socket" }, folders: [] };
    const { argv } = agent.command(newRequestIn(folder, { service }));
    expect(argv).toContain(
      'mcp_servers.ralph={command="node",args=["ralph.js","mcp"],env_vars=["RALPH_TASK_ID","RALPH_RUN_ID","RALPH_SOCKET"],required=true,startup_timeout_sec=60,default_tools_approval_mode="approve"}',
    );
    // Codex announces a server by the first line of its instructions.
    const [line = ""] = readFileSync("src/mcp/instructions.md", "utf8").split("\n");
    expect(line).toMatch(/^[A-Z][^.]{20,}\.$/);
  });

  test("AGENT-2 AGENT-7: tokens of every call, context and compactions are reported", async () => {
    const last = { totalTokens: 221, inputTokens: 201, cachedInputTokens: 50, outputTokens: 20 };
    const total = { totalTokens: 441, inputTokens: 401, cachedInputTokens: 100, outputTokens: 40 };
    const tokenUsage = { total, last, modelContextWindow: 258_400 };
    const steps = [
      { notify: ["thread/tokenUsage/updated", { tokenUsage: { ...tokenUsage, total: last } }] },
      { item: { type: "contextCompaction", id: "c" } },
      { notify: ["thread/tokenUsage/updated", { tokenUsage }] },
      done,
    ];
    expect((await session({ steps })).result).toMatchObject({
      tokens: { input: 301, output: 40, cacheRead: 100, cacheWrite: 0 },
      contextUsed: 221,
      contextSize: 258_400,
      compactions: 1,
    });
  });

  test("AGENT-7: a message reaches the running turn, once, and none after its end", async () => {
    let steer: Steer = async () => false;
    const onSteerable = (given: Steer): void => {
      steer = given;
    };
    const heard: Promise<unknown>[] = [];
    const onActivity = (): void => {
      if (heard.length === 0) heard.push(steer(safe`look at b.ts`));
    };
    const item = { type: "commandExecution", id: "i1", command: "sleep 1" };
    const steps = [{ item }, { steered: true }, done];
    const { result, sent } = await session({ steps }, { changes: { onSteerable, onActivity } });
    expect(result).toMatchObject({ error: null, finalMessage: "heard: look at b.ts" });
    expect(await Promise.all(heard)).toEqual([true]);
    expect(sent("turn/steer")).toEqual([
      { threadId: "s1", expectedTurnId: "u1", input: [{ type: "text", text: "look at b.ts" }] },
    ]);
    expect(await steer(safe`too late`)).toBe(false);
  });

  test("AGENT-7: a message that comes while Codex starts its tool servers waits for the turn", async () => {
    const taken: Promise<boolean>[] = [];
    const onSteerable = (steer: Steer): void => void taken.push(steer(safe`early`));
    const { result } = await session({ steps: [{ steered: true }, done] }, { changes: { onSteerable } });
    expect([result.finalMessage, await Promise.all(taken)]).toEqual(["heard: early", [true]]);
  });

  test("AGENT-2: a failed turn is the session's error, a retry before a success is not", async () => {
    const reconnecting = {
      error: {
        message: "Reconnecting... 1/5",
        codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 500 } },
        additionalDetails: "unexpected status 500",
      },
      willRetry: true,
    };
    const retried = await session({ steps: [{ notify: ["error", reconnecting] }, { say: "Fine." }, done] });
    expect(retried.result).toMatchObject({ error: null, finalMessage: "Fine." });
    const error = { message: "Ran out of room", codexErrorInfo: "contextWindowExceeded" };
    const full = await session({ steps: [{ end: { status: "failed", error } }] });
    expect(full.result.error).toMatchObject({ kind: "context_full", message: "Ran out of room" });
    const interrupted = await session({ steps: [{ end: { status: "interrupted" } }] });
    expect(interrupted.result.error?.kind).toBe("killed");
    const refuse = {
      "turn/start": { code: -32600, message: "Input exceeds the maximum length of 1048576 characters." },
    };
    expect((await session({ steps: [], refuse })).result.error?.kind).toBe("prompt_too_long");
    const config = {
      "thread/start": { code: -32600, message: "failed to load configuration: invalid type" },
    };
    expect((await session({ steps: [], refuse: config })).result.error).toMatchObject({
      kind: "unusable",
      hint: expect.stringContaining("config.toml"),
    });
  });

  test("UX-1: it says of itself that nobody is logged in", async () => {
    const agent = newKnown("codex", { program: fakeProgram("codex-server"), env: fakeEnv });
    expect(await agent.probe()).toMatchObject({
      found: true,
      version: "0.169.0",
      problem: { detail: "not logged in", hint: expect.stringContaining("codex login") },
    });
  });
});
