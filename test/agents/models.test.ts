import { describe, expect, test } from "vitest";
import { type AgentName, genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";

/** A tier that the program does not offer, and what is meant by it. Null: its sessions refuse it before their prompt. */
const mistaken: Readonly<Record<AgentName, readonly [tier: string, meant: string] | null>> = {
  claude: ["haiku:ultra", "haiku:max"],
  codex: ["gpt-5.5:ultra", "gpt-5.5:xhigh"],
  gemini: null,
  opencode: null,
  pi: ["local/m2", "local/m1"],
};
const names: readonly AgentName[] = ["claude", "codex", "gemini", "opencode", "pi"];

describe.each(names)("the genuine %s", (name) => {
  const agent = genuineAgent(name);
  test.skipIf(!agent.found)(
    "AGENT-4: states its models without a request, and a tier that is not among them ends a run before the first",
    { timeout: 120_000 },
    async () => {
      const { made, server } = await genuineProject(agent, {
        script: [{ text: "<task-done>t-1</task-done>" }],
      });
      const [listed] = (await made.json("models", name)) as readonly [{ models: readonly unknown[] }];
      expect(listed.models.length).toBeGreaterThan(0);
      const wrong = mistaken[name];
      if (wrong) {
        const { code, stderr } = await made.ralph("run", "--once", "--model", wrong[0]);
        expect([code, stderr]).toEqual([5, expect.stringContaining(`did you mean ${wrong[1]}?`)]);
      }
      expect(server.bodies).toEqual([]);
    },
  );
});
