import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { markdownFormat, yamlFormat } from "../../src/cli/commands/task/draft-list.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice | undefined;

afterEach(() => project?.remove());

const list = (from: number, ...titles: string[]): string =>
  titles.map((title, at) => `- [ ] T00${from + at} ${title}\n  - a test proves it\n`).join("");

/** A project whose agent gives these answers to the questions for a plan, one after the other. */
async function planner(
  answers: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<Practice> {
  project = practice({ "README.md": "# practice\n", "src/a.txt": "a\n", ...files });
  const calls = join(project.home, "calls");
  const prompts = join(project.home, "prompts");
  mkdirSync(prompts);
  await project.useWorker(
    {
      ...{ calls, prompts, plan: answers.map((say) => ({ say })) },
      "*": [{ write: { "{id}.txt": "x" } }],
    },
    'verify: ["test -d src"]\n',
  );
  return project;
}

test("UX-7: a plan is asked for again with the importer's error, written, shown as a tree, imported by its hint, and not committed", async () => {
  const bad = `<tasks>\n${list(1, "Read", "Write (depends on T009)")}</tasks>`;
  const good = `I read it.\n\n<tasks>\n# Export\n\n${list(1, "Read rows", "Write rows (depends on T001)")}</tasks>`;
  const made = await planner([bad, good]);
  const { code, stdout, stderr } = await made.ralph("plan", "export the orders");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain("depends on unknown tasks; ignored: T009");
  expect(stdout).toMatch(
    /○ pending T001 Read rows\n○ pending T002 Write rows \(depends on T001\) ← T001\nwrote tasks.md: 2 tasks/,
  );
  expect(made.read("tasks.md")).toBe(`# Export\n\n${list(1, "Read rows", "Write rows (depends on T001)")}`);
  expect(stderr).toContain("ralph task import tasks.md && ralph run");
  expect(made.git("status", "--porcelain")).toBe("?? tasks.md");
  const prompt = readFileSync(join(made.home, "prompts/plan-1.txt"), "utf8");
  for (const part of ["export the orders", "src/a.txt", "test -d src", "ignored: T009"])
    expect(prompt).toContain(part);
  expect(await made.json("task", "list")).toEqual([]);
  made.git("add", "tasks.md");
  made.git("commit", "-q", "-m", "plan");
  expect((await made.ralph("task", "import", "tasks.md")).code).toBe(0);
  const ran = await made.run();
  expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 });
  expect(made.read("tasks.md")).toContain("- [x] T002");
});

test("UX-7: --add keeps every byte of the list; an existing list, a missing file and three bad answers change nothing", async () => {
  const before = `${list(1, "Old")}\nA remark.\n`;
  const made = await planner([list(2, "New"), "no list"], { "tasks.md": before, "goal.md": "Reach it\n" });
  const plan = async (...words: string[]): Promise<[number | null, string]> => {
    const { code, stderr } = await made.ralph("plan", ...words);
    return [code, stderr];
  };
  expect(await plan("x")).toEqual([2, expect.stringContaining("--add to extend it, or --force")]);
  expect(await plan("missing.md")).toEqual([2, expect.stringContaining("no such file: missing.md")]);
  expect((await plan("goal.md", "--add"))[0]).toBe(0);
  expect(made.read("tasks.md")).toBe(`${before.trimEnd()}\n\n${list(2, "New")}`);
  const prompt = readFileSync(join(made.home, "prompts/plan-1.txt"), "utf8");
  expect(prompt).toContain("Reach it");
  expect(prompt).toContain("A remark.");
  const [code, stderr] = await plan("x", "--format", "yaml");
  expect([code, stderr]).toEqual([2, expect.stringContaining("no answer of 3 can be imported")]);
  expect(existsSync(join(made.dir, "tasks.yaml"))).toBe(false);
});

test("UX-7: a list in YAML states what verifies a task", async () => {
  const yaml = "```yaml\ntasks:\n  - id: A\n    title: Read\n    verification: test -e A.txt\n```";
  const made = await planner([yaml]);
  const result = await made.json("plan", "x", "--format", "yaml");
  expect(result).toMatchObject({
    file: "tasks.yaml",
    tasks: [{ id: "A", title: "Read" }],
    rounds: 1,
    costUsd: null,
  });
  expect(made.read("tasks.yaml")).toContain("    verification: test -e A.txt\n");
});

test.each([
  ["md", markdownFormat],
  ["yaml", yamlFormat],
])("UX-7: the example of the prompt is a list that imports: %s", async (format, example) => {
  const made = await planner([example]);
  const result = await made.json("plan", "x", "--format", format);
  expect(result).toMatchObject({
    ...{ rounds: 1, warnings: [] },
    tasks: [{ id: "T001" }, { id: "T002", dependsOn: ["T001"] }],
  });
});
