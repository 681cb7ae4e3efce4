import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Permission } from "../../src/base/shared-settings.ts";
import { done, modes, type Step, sessionsIn } from "../fakes/acp-session.ts";
import { variants } from "../test-size.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralph-acp-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const session = sessionsIn(folder);

const say = (text: string, messageId?: string): Step => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text }, messageId },
});

describe.concurrent("a session", () => {
  test("AGENT-1: the last message of the agent is its final message, whole", async () => {
    const tool = { sessionUpdate: "tool_call", toolCallId: "c1", title: "npm test", kind: "execute" };
    const steps = [
      { update: { sessionUpdate: "user_message_chunk", content: { type: "text", text: "the prompt" } } },
      { update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } } },
      say("I will ", "m1"),
      say("test.", "m1"),
      { update: tool },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" } },
      say("Fine.\n<task-", "m2"),
      say("done>t-1</task-done>", "m2"),
      done,
    ];
    const heard: string[] = [];
    const { result } = await session({ steps }, { changes: { onActivity: ({ text }) => heard.push(text) } });
    expect(result).toMatchObject({
      error: null,
      finalMessage: "Fine.\n<task-done>t-1</task-done>",
      sessionId: "s1",
    });
    expect(heard).toEqual(["I will test.", "npm test", "Fine. <task-done>t-1</task-done>"]);
  });

  test("AGENT-6: ralph's tools are passed with the session, with the iteration", async () => {
    const service = { env: { RALPH_SOCKET: "/socket" }, folders: [] };
    const setup = { tools: ["node", "ralph.js", "mcp"], env: { SECRET: "s" }, changes: { service } } as const;
    const { sent } = await session({ steps: [done] }, setup);
    const variables = [
      { name: "RALPH_TASK_ID", value: "t-1" },
      { name: "RALPH_RUN_ID", value: "r-1" },
      { name: "RALPH_SOCKET", value: "/socket" },
    ];
    const [opened] = sent("session/new") as { cwd: string; mcpServers: { env: { name: string }[] }[] }[];
    expect(opened).toMatchObject({
      cwd: folder,
      mcpServers: [{ name: "ralph", command: "node", args: ["ralph.js", "mcp"] }],
    });
    expect(opened?.mcpServers[0]?.env).toEqual(variables);
  });

  test("JOURNAL-2: the journal's folder is granted to an agent that takes further folders", async () => {
    const journal = { path: "/state/journals/a.md", folder: "/state/journals", change: "a" };
    const initialize = { agentCapabilities: { sessionCapabilities: { additionalDirectories: {} } } };
    const granted = await session({ initialize, steps: [done] }, { changes: { journal } });
    const plain = await session({ steps: [done] }, { changes: { journal } });
    expect(granted.sent("session/new")[0]?.["additionalDirectories"]).toEqual(["/state/journals"]);
    expect(plain.sent("session/new")[0]).not.toHaveProperty("additionalDirectories");
  });
});

describe.concurrent("mode and model", () => {
  test.each<[Permission, readonly string[], string | undefined]>(
    variants(
      [
        ["plan", ["default", "autoEdit", "yolo", "plan"], "plan"],
        ["ask", ["default", "autoEdit", "yolo", "plan"], undefined],
        ["edit", ["default", "autoEdit", "yolo", "plan"], "autoEdit"],
        ["shell", ["read-only", "auto", "full-access"], "auto"],
        ["edit", ["auto", "approve", "smart_approve", "chat"], "approve"],
        ["bypass", ["read-only", "auto", "full-access"], "full-access"],
        ["edit", ["https://example.org/modes#agent", "https://example.org/modes#plan"], undefined],
      ],
      4,
    ),
  )("AGENT-4: permission %s with the modes %j sets %s", async (permission, ids, modeId) => {
    const { result, sent } = await session(
      { open: modes(...ids), steps: [done] },
      { settings: { permission } },
    );
    expect(result.error).toBeNull();
    expect(sent("session/set_mode")).toEqual(modeId ? [{ sessionId: "s1", modeId }] : []);
  });

  test("AGENT-4: `plan` is refused by an agent without a read-only mode, before the prompt", async () => {
    for (const setup of [{ settings: { permission: "plan" } }, { readOnly: true }] as const) {
      const { result, sent } = await session({ open: modes("default", "yolo"), steps: [done] }, setup);
      expect(result.error).toMatchObject({
        kind: "unusable",
        message: expect.stringContaining("read-only mode"),
      });
      expect(sent("session/prompt")).toEqual([]);
    }
  });

  test("AGENT-2: the model of the tier is set before the prompt, by either method, and reported", async () => {
    const models = { currentModelId: "auto", availableModels: [{ modelId: "auto" }, { modelId: "pro" }] };
    const old = await session({ open: { models }, steps: [done] }, { changes: { model: "unlisted" } });
    expect(old.sent("session/set_model")).toEqual([{ sessionId: "s1", modelId: "unlisted" }]);
    expect(old.result.model).toBe("unlisted");
    const select = (id: string, values: readonly string[]) => ({
      id,
      category: id,
      type: "select",
      currentValue: values[0],
      options: values.map((value) => ({ value })),
    });
    const configOptions = [select("model", ["a/x", "b/y"]), select("thought_level", ["low", "high"])];
    const chosen = await session(
      { open: { configOptions }, steps: [done] },
      { changes: { model: "y:high" } },
    );
    expect(chosen.sent("session/set_config_option")).toEqual([
      { sessionId: "s1", configId: "model", value: "b/y" },
      { sessionId: "s1", configId: "thought_level", value: "high" },
    ]);
    expect(chosen.result.model).toBe("b/y");
    const unset = await session({ open: { configOptions }, steps: [done] });
    expect([unset.result.model, unset.sent("session/set_config_option")]).toEqual(["a/x", []]);
    const wrong = await session({ open: { configOptions }, steps: [done] }, { changes: { model: "z" } });
    expect(wrong.result.error).toMatchObject({
      kind: "not_found",
      message: expect.stringContaining('does not offer the model "z"; it offers a/x, b/y'),
    });
  });
});

describe.concurrent("permission requests", () => {
  const run = {
    toolCallId: "c1",
    title: "npm install",
    kind: "execute",
    rawInput: { command: "npm install" },
  };
  const verify = { toolCallId: "c2", title: "npm test -- a", kind: "execute" };
  const chained = { toolCallId: "c3", title: "npm test; rm -rf .", kind: "execute" };
  const inside = {
    toolCallId: "c4",
    title: "a.ts",
    kind: "edit",
    locations: [{ path: join(folder, "a.ts") }],
  };
  const outside = {
    toolCallId: "c5",
    title: "passwd",
    kind: "edit",
    content: [{ type: "diff", path: "/etc/passwd" }],
  };
  const journal = {
    toolCallId: "c6",
    title: "j",
    kind: "edit",
    locations: [{ path: "/state/journals/a.md" }],
  };
  const own = { toolCallId: "c7", title: "note_add (ralph MCP Server)", kind: "other" };
  const foreign = { toolCallId: "c8", title: "jira_close", kind: "other" };
  const disguised = {
    toolCallId: "c9",
    title: "ralph_note_add",
    kind: "execute",
    rawInput: { command: "rm x" },
  };
  const read = { toolCallId: "c10", title: "read a.ts", kind: "read", locations: [{ path: "a.ts" }] };
  // A title is words of the model's in some agents: what the input says counts.
  const titled = { toolCallId: "c11", title: "npm test", kind: "execute", rawInput: { cmd: "rm y" } };
  const described = { toolCallId: "c12", title: "npm test", kind: "execute", rawInput: { script: "rm z" } };
  const posing = { toolCallId: "c13", title: "ralph_note_add", kind: "other", rawInput: { command: "rm" } };
  const empty = { toolCallId: "c14", title: "npm test -- b", kind: "execute", rawInput: {} };
  const usual = { run, verify, chained, inside, outside, journal, own, foreign, disguised, read };
  const calls = { ...usual, titled, described, posing, empty };

  test.each<[Permission, readonly (keyof typeof calls)[]]>(
    variants(
      [
        ["plan", ["own", "read"]],
        ["ask", ["own", "read"]],
        ["edit", ["verify", "inside", "journal", "own", "read", "empty"]],
        [
          "shell",
          [
            ...(["run", "verify", "chained", "inside", "journal", "own", "disguised", "read"] as const),
            ...(["titled", "described", "empty"] as const),
          ],
        ],
        ["bypass", Object.keys(calls) as (keyof typeof calls)[]],
      ],
      3,
    ),
  )("AGENT-4: %s allows %j and reports every refusal", async (permission, allowed) => {
    const steps = [...Object.values(calls).map((call) => ({ ask: call })), done];
    const { result } = await session(
      { open: modes("default", "plan"), steps },
      {
        settings: { permission },
        changes: {
          allowedCommands: ["npm test"],
          journal: { path: "/state/journals/a.md", folder: "/state/journals", change: "a" },
        },
      },
    );
    const answers = Object.keys(calls).map((name) =>
      (allowed as readonly string[]).includes(name) ? "allow_once;" : "reject_once;",
    );
    expect(result).toMatchObject({ error: null, finalMessage: answers.join("") });
    expect(result.permissionDenials).toHaveLength(Object.keys(calls).length - allowed.length);
    if (permission === "edit") {
      expect(result.permissionDenials).toEqual([
        "execute(npm install)",
        "execute(npm test; rm -rf .)",
        "edit(passwd)",
        "other(jira_close)",
        "execute(rm x)",
        "execute(rm y)",
        "execute(npm test)",
        "other(rm)",
      ]);
    }
  });

  test("AGENT-4: what an earlier event said about the tool call counts, and so do options without a name", async () => {
    const steps = [
      { update: { sessionUpdate: "tool_call", ...run } },
      { ask: { toolCallId: "c1" }, options: [{ optionId: "x", kind: "allow_always" }] },
      { ask: { toolCallId: "c1" }, options: [{ optionId: "n", kind: "reject_always" }] },
      done,
    ];
    const { result } = await session({ steps });
    expect(result).toMatchObject({
      finalMessage: "cancelled;n;",
      permissionDenials: ["execute(npm install)"],
    });
  });
});
