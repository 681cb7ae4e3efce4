import { describe, expect, test } from "vitest";
import { genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";
import type { Body } from "./model-server/step.ts";

const asks = "Which of the lessons below";
const lesson = "Amounts are integer cents, see Money.";

/** The project's own words. */
const skill = "---\nname: heron\ndescription: The heron skill.\n---\nThe heron skill.\n";
const files = {
  ...{ "CLAUDE.md": "The heron rule.\n", "AGENTS.md": "The heron rule.\n", "heron.txt": "heron\n" },
  ...{ ".claude/skills/heron/SKILL.md": skill, ".agents/skills/heron/SKILL.md": skill },
};

const expected = {
  claude: { tiers: "haiku, claude-sonnet-4-5", model: /haiku/, effort: undefined, tools: [] },
  // These it has whatever its settings say; without an environment it can change no file.
  codex: {
    ...{ tiers: "default:low, default:medium", model: /^gpt-5/, effort: "low" },
    tools: ["apply_patch", "request_user_input"],
  },
} as const;

interface Request {
  readonly model: string;
  readonly reasoning?: { readonly effort?: string };
  readonly tools?: readonly { readonly name?: string; readonly type?: string }[];
}

describe.each(["claude", "codex"] as const)("the genuine %s asked which memory a task needs", (name) => {
  const agent = genuineAgent(name);
  test.skipIf(!agent.found)(
    "LEARN-16: one request to the cheapest model, without tools and words of the project; its answer is in the next prompt, its cost in the receipt",
    { timeout: 120_000 },
    async () => {
      const { tiers, model, effort, tools } = expected[name];
      let id = "";
      const has = (body: Body, words: string): boolean => JSON.stringify(body).includes(words);
      const done = (task: string) => `Written.\n<task-done>${task}</task-done>`;
      const { made, server } = await genuineProject(agent, {
        script: (body) =>
          has(body, asks)
            ? [{ text: JSON.stringify([{ id, why: "currency" }]), bare: true }]
            : [
                { command: "sleep 6; echo hi >> out.txt" },
                { text: done(has(body, "the task `t-1`") ? "t-1" : "t-2") },
              ],
        config: "memory: { select: agent }\n",
        files,
      });
      const config = made.read(".ralph/config.yaml").replace(/tiers: \[.*?\]/, `tiers: [${tiers}]`);
      made.write(".ralph/config.yaml", config);
      made.git("commit", "-qam", "name the tiers");
      await made.approveConfig();
      await made.addTasks([{ id: "t-2", title: "Bill the customer in euros" }]);
      ({ id } = (await made.json("memory", "store", lesson)) as { readonly id: string });
      const { events } = await made.run();
      const asked = server.bodies.filter((body) => body.includes(asks));
      expect(asked.map((body) => body.includes("heron"))).toEqual([false]);
      const request = JSON.parse(asked[0] ?? "{}") as Request;
      expect(request.model).toMatch(model);
      expect(request.reasoning?.effort).toBe(effort);
      expect((request.tools ?? []).map((tool) => tool.name ?? tool.type).sort()).toEqual(tools);
      expect(server.bodies.some((body) => body.includes("Bill") && body.includes(`${lesson} (${id}`))).toBe(
        true,
      );
      const costUsd = expect.any(Number);
      expect(events.find(({ type }) => type === "learning.selected")).toMatchObject({
        taskId: "t-2",
        costUsd,
      });
      const end = events.at(-1) as unknown as { report: { byModel: readonly object[] } };
      expect(end.report.byModel).toContainEqual(
        expect.objectContaining({ model: expect.stringMatching(/ \(memory\)$/), costUsd }),
      );
    },
  );
});
