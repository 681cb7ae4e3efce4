import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, withTasks } from "./practice.ts";

// Commits that someone already has are theirs: a run neither takes them away nor lets its agent do so.

let project: Practice;
afterEach(() => project?.remove());

const fine = { write: { "src/{id}.txt": "fine\n" } };

const projectOf = (script: Record<string, unknown>, titles: readonly string[]): Promise<Practice> =>
  withTasks({ "*": [fine], ...script }, titles);
const broken = { write: { "src/{id}.txt": "BROKEN" } };

function commitByPerson(made: Practice, file: string): void {
  made.write(file, "written by hand\n");
  made.git("add", file);
  made.git("commit", "-q", "-m", `by hand: ${file}`);
}

test("LOOP-9: what a person commits between two runs stays when another task comes next", async () => {
  project = await projectOf({ "t-1": [broken, fine] }, ["one", "two"]);
  await project.run("--once");
  await project.ralph("task", "edit", "t-1", "--priority", "low");
  commitByPerson(project, "mine.txt");
  const { code } = await project.run();
  expect(code).toBe(0);
  expect(project.commits().slice(0, 3)).toEqual(["one", "two", "by hand: mine.txt"]);
});

test.each(
  variants(
    [
      ["takes a finished task's commit away", [["git", "reset", "-q", "--hard", "HEAD~1"]]],
      ["rewrites it", [["git", "commit", "-q", "--amend", "--allow-empty", "-m", "amended"]]],
    ],
    1,
  ),
)("LOOP-11 LOOP-9: an attempt that %s fails, and the commit is put back", async (_, run) => {
  project = await projectOf({ "t-2": [{ ...fine, run }, fine] }, ["one", "two"]);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(finished(events)).toMatchObject([
    { taskId: "t-1", outcome: "done" },
    {
      taskId: "t-2",
      outcome: "failed",
      reason: expect.stringMatching(/removed existing commits.*one\b/),
    },
    { taskId: "t-2", outcome: "done" },
  ]);
  expect(project.commits().slice(0, 2)).toEqual(["two", "one"]);
  expect(project.read("src/t-1.txt")).toBe("fine\n");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("for-each-ref", "refs/ralph/rollback")).not.toBe("");
});

test("LOOP-9: an untracked file of a person that the agent committed is untracked again, and that is told", async () => {
  project = await projectOf({ "t-1": [{ ...fine, commit: "all of it" }] }, ["one"]);
  project.write("mine.txt", "private\n");
  const { events } = await project.run();
  expect(finished(events)[0]?.["warnings"]).toEqual([
    expect.stringMatching(/^mine\.txt, which you had not committed, was in a commit/),
  ]);
});

test.each(
  variants(
    [
      ["outside the project", "../tasks.md", ""],
      ["that git ignores", "tasks.md", "tasks.md\n"],
    ],
    1,
  ),
)("TASK-5 LOOP-9: a task list %s holds back no commit, and is in none", async (_, list, ignored) => {
  project = await projectOf({}, []);
  project.write(".gitignore", ignored);
  project.git("add", "-A");
  project.git("commit", "-q", "--allow-empty", "-m", "ignore");
  project.write(list, "- [ ] only one\n");
  const { code } = await project.run("--spec", list);
  expect(code).toBe(0);
  expect(project.commits()[0]).toMatch(/^only one/);
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toMatch(/^src\/t-[0-9a-f]+\.txt$/);
});
