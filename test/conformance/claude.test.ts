import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { AgentRequest } from "../../src/agents/port/agent.ts";
import { storedText } from "../../src/trust/stored-text.ts";
import { fakeClaude, newRequestIn } from "../fakes/agent-request.ts";
import { fakeEnv, newToken } from "../fakes/fake.ts";
import { newClaude, newCommand } from "../fakes/new-agent.ts";
import { variants } from "../test-size.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-claude-flags-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newRequest = (changes: Partial<AgentRequest> = {}): AgentRequest => newRequestIn(folder, changes);

describe("claude", () => {
  const request = newRequest({ model: "sonnet" });
  const claude = newClaude;
  type Changes = Parameters<typeof newClaude>[0];

  const argvOf = (changes: Changes, more: Partial<AgentRequest> = {}) =>
    claude(changes).command({ ...request, ...more }).argv;

  test("AGENT-4: edits by default, and may run what judges it, no more", () => {
    const start =
      "claude -p --output-format stream-json --verbose --input-format stream-json --replay-user-messages --disallowedTools ScheduleWakeup CronCreate Monitor Workflow".split(
        " ",
      );
    const end = "--permission-mode acceptEdits --model sonnet".split(" ");
    expect(argvOf({})).toEqual([...start, ...end]);
    const allowedCommands = ["npm test", "npm run lint && node --test", 'node -e "f(1); g()"'];
    const rules = [
      "Bash(npm test:*)",
      "Bash(npm run lint && node --test)",
      "Bash(npm run lint:*)",
      "Bash(node --test:*)",
      'Bash(node -e "f(1); g()")',
    ];
    expect(argvOf({}, { allowedCommands })).toEqual([...start, "--allowedTools", ...rules, ...end]);
    expect(claude({}).permission).toBe("edit");
    expect(argvOf({ permission: "plan" }, { allowedCommands })).not.toContain("--allowedTools");
    expect(argvOf({ permission: "ask" }, { allowedCommands })).not.toContain("--permission-mode");
    expect(argvOf({ permission: "shell" }, { allowedCommands })).toEqual([
      ...start,
      "--allowedTools",
      "Bash",
      ...end,
    ]);
    expect(argvOf({ permission: "shell", readOnly: true })).not.toContain("--permission-mode");
  });

  test("AGENT-4: ralph's own tools are attached beside the user's, and allowed at every step", () => {
    const tools = ["/node", "/ralph.js", "mcp", "--agent", "claude"] as const;
    const argv = argvOf({ tools }, { allowedCommands: ["npm test"] });
    const at = argv.indexOf("--mcp-config");
    expect(JSON.parse(`${argv[at + 1]}`)).toEqual({
      mcpServers: {
        ralph: {
          type: "stdio",
          alwaysLoad: true,
          command: "/node",
          args: ["/ralph.js", "mcp", "--agent", "claude"],
          env: { RALPH_TASK_ID: "t-1", RALPH_RUN_ID: "r-1" },
        },
      },
    });
    const rest =
      "--allowedTools Bash(npm_test:*) mcp__ralph --permission-mode acceptEdits --model sonnet".split(" ");
    expect(argv.slice(at + 2)).toEqual(rest.map((word) => word.replace("_test", " test")));
    expect(argv).not.toContain("--strict-mcp-config");
    for (const permission of ["plan", "ask"] as const)
      expect(argvOf({ tools, permission }).join(" ")).toContain("--allowedTools mcp__ralph --");
    expect(argvOf({ tools: null })).not.toContain("--mcp-config");
  });

  test("AGENT-4: bypasses only when told, and says so", () => {
    const sandboxed = { ...fakeEnv, IS_SANDBOX: "1" };
    const bypass = claude({ permission: "bypass", env: sandboxed });
    expect(bypass.command(request).argv).toContain("bypassPermissions");
    expect(bypass.permission).toBe("bypass");
    for (const extraArgs of [
      ["--dangerously-skip-permissions"],
      ["--permission-mode", "bypassPermissions"],
      ["--permission-mode=bypassPermissions"],
    ])
      expect(claude({ extraArgs, env: sandboxed }).permission).toBe("bypass");
  });

  test.skipIf(process.getuid?.() !== 0)("AGENT-4: to root a bypass is refused before anything starts", () => {
    const refusal = expect.objectContaining({
      code: "RALPH_AGENT_PERMISSION",
      hint: expect.stringContaining("IS_SANDBOX=1"),
    });
    expect(() => claude({ permission: "bypass" })).toThrow(refusal);
    expect(() => claude({ extraArgs: ["--dangerously-skip-permissions"] })).toThrow(refusal);
    expect(() => claude({ permission: "bypass", env: { ...fakeEnv, IS_SANDBOX: "yes" } })).toThrow(refusal);
  });

  test("AGENT-4 JOURNAL-2: only folders outside the project are added: its scratch folder and that of its journal", () => {
    for (const tmpDir of [join(folder, ".ralph", "tmp", "i-1"), join(folder, "..tmp")]) {
      expect(argvOf({}, { tmpDir })).not.toContain("--add-dir");
    }
    for (const tmpDir of ["/scratch/i-1", join(folder, "..", "b")]) {
      expect(argvOf({}, { tmpDir }).join(" ")).toContain(`--add-dir ${tmpDir} --permission-mode`);
    }
    const journal = { path: "/state/shop/x-learnings.md", folder: "/state/shop", change: "x" };
    const tmpDir = join(folder, ".ralph");
    expect(argvOf({}, { tmpDir, journal }).join(" ")).toContain("--add-dir /state/shop --permission-mode");
    const both = argvOf({}, { tmpDir: "/scratch/i-1", journal }).join(" ");
    expect(both).toContain("--add-dir /scratch/i-1 /state/shop --permission-mode");
    const outside = { tmpDir: "/scratch/i-1" };
    expect(claude({}).command({ ...request, ...outside }).env).toMatchObject({
      TMPDIR: "/scratch/i-1",
      CLAUDE_CODE_TMPDIR: "/scratch/i-1",
    });
  });

  test("AGENT-3: a prompt that Claude Code would not take is told before anything starts", async () => {
    const record = join(folder, `record-${newToken()}.json`);
    const agent = fakeClaude({ RALPH_FAKE: "answer", RALPH_FAKE_RECORD: record });
    const result = await agent.run(newRequest({ prompt: storedText("é".repeat(6 * 1024 * 1024)) }));
    expect(result.error).toMatchObject({ kind: "prompt_too_long", hint: expect.stringContaining("Split") });
    expect(result.error?.message).toContain("12.0 MiB");
    expect(existsSync(record)).toBe(false);
    const most = await agent.run(newRequest({ prompt: storedText("x".repeat(10 * 1024 * 1024)) }));
    expect(most.error).toBeNull();
  });

  test("what the user set wins", () => {
    const agent = claude({
      model: "opus",
      tiers: ["a", "b"],
      program: "/opt/claude",
      extraArgs: ["--effort", "high"],
      env: { CLAUDE_CODE_MAX_RETRIES: "9" },
    });
    const { argv, env } = agent.command(request);
    expect(argv[0]).toBe("/opt/claude");
    expect(argv.slice(-2)).toEqual(["--effort", "high"]);
    expect(env).toMatchObject({
      CLAUDE_CODE_MAX_RETRIES: "9",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    });
    expect(agent).toMatchObject({ defaultModel: "opus", tiers: ["a", "b"] });
    expect(claude({})).toMatchObject({ defaultModel: "sonnet", tiers: ["haiku", "sonnet", "opus"] });
  });

  test("background work is off by default, and a value of the user's wins", () => {
    const names = ["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"] as const;
    for (const name of names) {
      expect(claude({}).command(request).env[name]).toBe("1");
      for (const value of ["0", ""])
        expect(claude({ env: { ...fakeEnv, [name]: value } }).command(request).env[name]).toBe(value);
    }
    const disallowed = (extraArgs: readonly string[]) => {
      const argv = argvOf({ extraArgs });
      const words = argv.slice(0, argv.length - extraArgs.length);
      const at = words.indexOf("--disallowedTools");
      const rest = words.slice(at + 1);
      return at < 0
        ? null
        : rest
            .slice(
              0,
              rest.findIndex((word) => word.startsWith("--")),
            )
            .join(" ");
    };
    expect(disallowed(["--effort", "high"])).toBe("ScheduleWakeup CronCreate Monitor Workflow");
    expect(disallowed(["--disallowedTools", "WebSearch"])).toBeNull();
    expect(disallowed(["--disallowed-tools", "WebSearch"])).toBeNull();
    expect(disallowed(["--disallowedTools=WebSearch"])).toBeNull();
    expect(disallowed(["--allowedTools", "Bash(ls:*) Monitor"])).toBe("ScheduleWakeup CronCreate Workflow");
    expect(disallowed(["--allowedTools", "Monitor,Workflow"])).toBe("ScheduleWakeup CronCreate");
  });

  test("a `command` that prints the stream of Claude Code is asked for its states as well", () => {
    const name = "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS";
    const envOf = (changes: Parameters<typeof newCommand>[0]) =>
      newCommand({ argv: ["wrapper"], ...changes }).command(request).env;
    expect(envOf({ format: "claude-stream-json" })[name]).toBe("1");
    expect(envOf({ format: "claude-stream-json", env: { [name]: "0" } })[name]).toBe("0");
    expect(envOf({ format: "text" })).not.toHaveProperty(name);
  });

  test.each(
    variants(
      [
        [
          "permission",
          "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons",
        ],
        [
          "prompt_too_long",
          "Error: piped stdin input exceeds 10MB. Pass large content as a file path in your prompt.",
        ],
        ["unusable", "Error: When using --print, --output-format=stream-json requires --verbose"],
        ["unusable", "error: unknown option '--permission-mode'"],
        ["crash", "Segmentation fault"],
        ["auth", "Invalid API key · Please run /login"],
      ],
      3,
    ),
  )("%s is reported on stderr alone", async (kind, stderr) => {
    const agent = fakeClaude({ RALPH_FAKE: `replay 1 /dev/null ${stderr}` });
    const result = await agent.run(newRequest());
    expect(result.error?.kind).toBe(kind);
    expect(result.error?.message).toContain(stderr);
    expect(result.error?.hint === null).toBe(kind === "crash");
  });
});
