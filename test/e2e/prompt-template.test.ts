import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice | undefined;

afterEach(() => project?.remove());

test("PROMPT-5, TRUST-5: a template is a person's: approved by content and used whole", async () => {
  project = practice();
  const made = project;
  await made.useWorker(
    {
      prompts: `${made.home}/prompts`,
      "*": [{ write: { "src/{id}.txt": "x" } }],
    },
    'sandbox: "off"\n',
  );
  await made.addTasks(["Write it", "Write more"]);
  const builtIn = (await made.ralph("context", "t-1")).stdout;
  expect((await made.ralph("prompt", "export")).stdout).toBe("wrote .ralph/prompt.md\n");
  expect((await made.ralph("context", "t-1")).stdout).toBe(builtIn);
  expect((await made.ralph("prompt", "export")).stderr).toContain("--force");
  expect(made.git("status", "--porcelain", "-uall")).toContain(".ralph/prompt.md");

  made.write(".ralph/prompt.md", "{{taks}}\n");
  const typo = await made.ralph("run");
  expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining("did you mean {{task}}?")]);
  made.write(".ralph/prompt.md", "Speak Latin.\n\n{{task}}\n{{finish}}\n");
  const refused = await made.ralph("run", "--yes");
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining(".ralph/prompt.md")]);
  await made.ralph("trust", "approve", "--yes");
  expect((await made.run()).code).toBe(0);
  for (const id of ["t-1", "t-2"]) {
    const prompt = made.read(`../home/prompts/${id}-1.txt`);
    expect(prompt.startsWith(`Speak Latin.\n\n## Task\n\nDo only the task \`${id}\``)).toBe(true);
    expect(prompt.trimEnd().endsWith("claim failed and say why.")).toBe(true);
  }
});
