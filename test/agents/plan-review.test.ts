import { expect, test } from "vitest";
import { finished } from "../e2e/practice.ts";
import { genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";
import type { Body } from "./model-server/step.ts";

const claude = genuineAgent("claude");
const codex = genuineAgent("codex");
const has = (body: Body, words: string): boolean => JSON.stringify(body).includes(words);

const ids = [1, 2, 3, 4, 5].map((n) => `T00${n}`);
const list = ids
  .map((id, at) => {
    const after = at > 0 ? ` (depends on ${ids[at - 1]})` : "";
    return `- [ ] ${id} Write ${id}.txt${after}\n  - ${id}.txt exists`;
  })
  .join("\n");

test.skipIf(!claude.found)(
  "UX-7: the genuine claude reads the repository and plans five tasks; they import and run to the end",
  { timeout: 180_000 },
  async () => {
    const { made, server } = await genuineProject(claude, {
      script: (body) => {
        if (has(body, "Write a list of tasks that reach the goal"))
          return [
            { tool: "Glob", input: { pattern: "*.md" } },
            { command: "touch planned.txt" },
            { text: `Five files are missing.\n\n<tasks>\n${list}\n</tasks>` },
          ];
        const id = ids.findLast((task) => has(body, `the task \`${task}\``)) ?? "t-1";
        return [{ command: `touch ${id}.txt out.txt` }, { text: `Written.\n<task-done>${id}</task-done>` }];
      },
    });
    const plan = await made.json("plan", "five files");
    expect(plan).toMatchObject({
      rounds: 1,
      warnings: [],
      costUsd: expect.any(Number),
      estimate: { tasks: 5 },
    });
    expect(made.git("status", "--porcelain")).toBe("?? tasks.md");
    expect(server.bodies.some((body) => body.includes("README.md"))).toBe(true);
    expect((await made.ralph("task", "import", "tasks.md")).code).toBe(0);
    made.git("add", "-A");
    made.git("commit", "-q", "-m", "plan");
    const { code, events, stderr } = await made.run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(finished(events).map(({ taskId, outcome }) => [taskId, outcome])).toEqual(
      ["t-1", ...ids].map((id) => [id, "done"]),
    );
  },
);

test.skipIf(!claude.found || !codex.found)(
  "UX-9: the genuine codex refuses the genuine claude's bad diff, the retry passes, and the receipt has both costs",
  { timeout: 180_000 },
  async () => {
    const why = "out.txt:1 subtracts where the task adds";
    const { made, server } = await genuineProject(claude, {
      config: "review: { agent: codex }\n",
      script: (body) => {
        if (has(body, "Review a change before it is committed"))
          return [
            {
              text: has(body, "+a - b")
                ? `<review verdict="fail">${why}</review>`
                : '<review verdict="pass">It adds.</review>',
            },
          ];
        const sum = has(body, why) ? "a + b" : "a - b";
        return [{ command: `echo '${sum}' > out.txt` }, { text: "Written.\n<task-done>t-1</task-done>" }];
      },
    });
    Object.assign(made.env, codex.prepare(made.home, server.url));
    const reviewer = `agents:\n  codex: { program: ${JSON.stringify(codex.program)}, tiers: [${codex.model}] }\n`;
    made.write(".ralph/config.yaml", made.read(".ralph/config.yaml").replace("agents:\n", reviewer));
    made.git("commit", "-qam", "name the reviewer");
    await made.approveConfig();
    const { code, events, stderr } = await made.run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(finished(events)).toMatchObject([
      { outcome: "failed", category: "review", errorExcerpt: why },
      { outcome: "done", verification: "passed", warnings: [] },
    ]);
    expect(made.read("out.txt")).toBe("a + b\n");
    const { report } = events.at(-1) as unknown as {
      report: { byModel: readonly { costUsd: number | null }[] };
    };
    expect(report.byModel).toEqual([
      expect.objectContaining({
        model: expect.stringContaining("claude-sonnet-4-5"),
        costUsd: expect.any(Number),
      }),
      expect.objectContaining({ model: expect.stringMatching(/ \(review\)$/), costUsd: expect.any(Number) }),
    ]);
  },
);
