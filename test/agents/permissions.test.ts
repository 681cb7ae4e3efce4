import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultPermission } from "../../src/agents/sandbox.ts";
import type { Permission } from "../../src/base/shared-settings.ts";
import { type AgentName, genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";

/** The commands that agents type most, in a project that `npm test` verifies. */
const usual = [
  ...[
    "ls -la",
    "git status",
    "git diff HEAD",
    "grep -rn v .",
    "cat package.json",
    "npm test",
    "npm test 2>&1",
  ],
  ...["npm test | tail -20", "cd . && npm test", "CI=1 npm test", "mkdir -p lib2"],
];

const names: readonly AgentName[] = ["claude", "codex", "gemini", "opencode", "pi"];
/** Null: the default, in a sandbox where one binds. */
const levels: readonly (Permission | null)[] = ["edit", null];

/** The commands that a program refuses by its own rules, whatever ralph's judge allows. */
const refusedAt: Readonly<Record<string, readonly string[]>> = {};

describe.each(names)("the genuine %s", (name) => {
  const agent = genuineAgent(name);
  test.skipIf(!agent.found).each(levels)(
    "AGENT-4: at the permission %s it may run the usual commands, and a refusal does not end its turn",
    { timeout: 120_000 },
    async (permission) => {
      const level = permission ?? (await defaultPermission({ level: "auto" }));
      const { made } = await genuineProject(agent, {
        script: [
          { command: "npm install left-pad --offline --no-audit" },
          ...usual.map((command) => ({ command })),
          { text: "Looked around.\n\n<task-done>t-1</task-done>" },
        ],
        permission,
        config: permission === "edit" ? "sandbox: off\n" : "",
        files: { "package.json": JSON.stringify({ scripts: { test: "echo v >> ran.txt" } }), "out.txt": "" },
        verify: "npm test",
      });
      const { events } = await made.run("--once");
      const end = events.find(({ type }) => type === "iteration.finished");
      const denied = end?.["permissionDenials"] as readonly string[];
      const of = (command: string): boolean => denied.some((one) => one.endsWith(`(${command})`));
      expect(end).toMatchObject({ outcome: "done" });
      const refused = refusedAt[`${name} ${level}`] ?? [];
      expect(usual.filter(of)).toEqual(refused);
      expect(denied.length).toBe(refused.length + (level === "edit" && name !== "codex" ? 1 : 0));
      expect(existsSync(join(made.dir, "lib2"))).toBe(!refused.includes("mkdir -p lib2"));
    },
  );
});
