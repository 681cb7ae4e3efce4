import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice, type RunEvent, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const outcomes = (events: readonly RunEvent[]): readonly unknown[] =>
  finished(events).map(({ outcome, attempt }) => [outcome, attempt]);
const prompt = (name: string): string => project.read(`../prompts/${name}.txt`);

test("SIG-10 LOOP-4 LOOP-6 LOOP-16 STRAT-4 FAIL-2 FAIL-4: what agents claim, do and leave in one run", async () => {
  const mention =
    "I will print <task-done>{id}</task-done>, or <promise>COMPLETE</promise>, once the tests pass.";
  const wrong = "I wrote a string where a number belongs.\n\n<task-done>{id}</task-done>";
  project = await withTasks(
    {
      prompts: "../prompts",
      "t-1": [{ write: { "src/a.txt": "{attempt}" }, say: mention }, { write: { "src/a.txt": "{attempt}" } }],
      "t-2": [{ say: "Surely done.\n\n<task-done>{id}</task-done>" }],
      "t-3": [{ write: { "src/new/a.txt": "a\n", "b.txt": "b\n" } }],
      "t-4": [{ write: { "src/own.txt": "mine\n" }, commit: "agent: own commit" }],
      "t-5": [{ write: { "src/t-5.txt": "BROKEN" }, say: wrong }, { write: { "src/t-5.txt": "fine" } }],
    },
    ["mention it", "do nothing", "write new files", "commit it yourself", "declare the number"],
  );
  const before = project.commits().length;
  const { code, events } = await project.run();
  const of = (id: string): readonly RunEvent[] => finished(events.filter(({ taskId }) => taskId === id));
  expect(code).toBe(4);
  // A mere mention of a done sigil finishes nothing.
  expect(outcomes(of("t-1"))).toEqual([
    ["no_sigil", 1],
    ["done", 2],
  ]);
  // A no-op is never done, and is parked after two claims.
  expect(of("t-2").map(({ verification }) => verification)).toEqual(["no_change", "no_change"]);
  const list = (await project.json("task", "list")) as readonly { status: string }[];
  expect(list.map(({ status }) => status)).toEqual(["done", "blocked", "done", "done", "done"]);
  // Progress in untracked files alone counts, and is committed.
  expect(outcomes(of("t-3"))).toEqual([["done", 1]]);
  const commit = project.git("log", "--format=%H", "--grep=^write new files$");
  expect(project.git("show", "--name-only", "--format=", commit).split("\n")).toEqual([
    "b.txt",
    "src/new/a.txt",
  ]);
  expect(project.git("status", "--porcelain")).toBe("");
  // The work of an agent that commits it counts, and gets no second commit.
  expect(of("t-4")).toMatchObject([{ outcome: "done", files: ["src/own.txt"] }]);
  expect(project.commits().slice(0, -before)).toEqual([
    "declare the number",
    "agent: own commit",
    "write new files",
    "mention it",
  ]);
  // The retry is shown the error behind screens of banner.
  expect(of("t-5").map(({ outcome, category }) => [outcome, category])).toEqual([
    ["failed", "type_error"],
    ["done", null],
  ]);
  expect(prompt("t-5-2")).toContain("error TS2322: Type 'string' is not assignable to type 'number'.");
  // One line stands for all 3,000.
  expect(prompt("t-5-2").match(/banner line/g)).toHaveLength(1);
  expect(prompt("t-5-1")).not.toContain("Previous Attempts");
});

test("LOOP-9 TASK-5: apostrophes, spaces and emoji in titles and paths reach prompt, commit, list and log whole", async () => {
  const title = `Don't "forget" the café's 🎉 menu; $(touch pwned) \`x\``;
  const path = "src/it's a 🎉 café/menu, day 1.txt";
  project = practice({ "lists/what's left 📝.md": `# Café\n\n- [ ] ${title}\n` });
  await project.useWorker(
    { prompts: "../prompts", "*": [{ write: { [path]: "BROKEN" } }] },
    `verify: ["true"]\n`,
  );
  await project.answer("task", "import", "lists/what's left 📝.md");
  const [task] = (await project.json("task", "list")) as readonly { id: string; title: string }[];
  expect(task?.title).toBe(title);
  const { code, events } = await project.run();
  expect([code, outcomes(events)]).toEqual([0, [["done", 1]]]);
  expect(project.commits()[0]).toBe(title);
  expect(
    project.git("-c", "core.quotePath=false", "show", "--name-only", "--format=", "HEAD").split("\n"),
  ).toEqual(["lists/what's left 📝.md", path]);
  expect(project.read("lists/what's left 📝.md")).toBe(`# Café\n\n- [x] ${title}\n`);
  expect(prompt(`${task?.id}-1`)).toContain(`\n${title}\n`);
  expect((await project.answer("log", `${task?.id}`)).stdout).toContain(title);
  expect(existsSync(join(project.dir, "pwned"))).toBe(false);
});
