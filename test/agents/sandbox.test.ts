import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canSandbox } from "../can-sandbox.ts";
import { ralphBin } from "../e2e/practice.ts";
import { type AgentName, genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";
import type { Step } from "./model-server/step.ts";

const lesson = "The release check reads out.txt as UTF-8 and refuses an empty file.";

/** The programs that were seen to work in ralph's sandbox, what they show in the home, and where they keep a session. */
const agents: readonly (readonly [name: AgentName, shown: string, sessions: string])[] = [
  ["claude", ".claude", ".claude/projects"],
  // It makes a sandbox of its own inside this one.
  ["codex", ".codex", ".codex/sessions"],
  ["gemini", ".gemini", ".gemini/tmp"],
  ["opencode", ".local", ".local/share/opencode"],
  ["pi", ".pi", ".pi"],
];

describe.each(agents)("sandbox: strict with the genuine %s", (name, shown, sessions) => {
  const agent = genuineAgent(name);
  // Pi has no tools of others.
  const claim: Step =
    name === "pi"
      ? { command: `'${process.execPath}' '${ralphBin}' task done t-1` }
      : { ralph: "task_done", input: { id: "t-1" } };
  test.skipIf(!canSandbox || !agent.found)(
    "AGENT-1 AGENT-4: completes a task with ralph's tools, keeps its state, and sees no key of its user",
    async () => {
      const { made, server } = await genuineProject(agent, {
        script: [
          { command: "sh look.sh" },
          { command: "echo hi > out.txt" },
          claim,
          { text: `Written.\n\n<learning tags="release">${lesson}</learning>` },
        ],
        config: "sandbox: strict\n",
      });
      made.write(
        "look.sh",
        "ls -A ~ > seen.txt; cat ~/.ssh/id_test >> seen.txt; echo x >> ~/.gitconfig; true\n",
      );
      made.git("add", "-A");
      made.git("commit", "-q", "-m", "look around");
      mkdirSync(join(made.home, ".ssh"));
      writeFileSync(join(made.home, ".ssh/id_test"), "PRIVATE");
      writeFileSync(join(made.home, ".gitconfig"), "");
      if (name === "claude") {
        // In the home, beside its folder: it replaces this file whenever it starts.
        Reflect.deleteProperty(made.env, "CLAUDE_CONFIG_DIR");
        writeFileSync(join(made.home, ".claude.json"), '{"hasCompletedOnboarding":true}');
      }
      const { code, events, stderr } = await made.run("--once");
      expect(stderr).toBe("");
      const end = events.find(({ type }) => type === "iteration.finished");
      expect(end).toMatchObject({ outcome: "done", permissionDenials: [] });
      expect(code).toBe(0);
      expect(end?.["tokensInput"]).toBe(agent.inputTokens(server.tokens()));
      expect(made.read("seen.txt")).not.toContain("PRIVATE");
      expect(made.read("seen.txt")).toContain(shown);
      expect(made.read("seen.txt")).not.toContain(".ssh");
      expect(readFileSync(join(made.home, ".gitconfig"), "utf8")).toBe("");
      expect(await made.json("memory", "list")).toMatchObject([{ lesson, provenance: { source: "agent" } }]);
      if (name === "claude")
        expect(readFileSync(join(made.home, ".claude.json"), "utf8").length).toBeGreaterThan(100);
      expect(existsSync(join(made.home, sessions))).toBe(true);
    },
  );
});
