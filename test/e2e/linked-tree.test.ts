import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("UX-5 IF-3: a linked work tree without a store reads that of the main one, and works on its own tasks", async () => {
  project = practice();
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "x\n" } }] });
  project.git("worktree", "add", "-q", "../linked");
  const there = ["-C", `${project.dir}/../linked`];
  const said = async (...words: string[]): Promise<string> => {
    const { stdout, stderr } = await project.ralph(...there, ...words);
    return `${stdout}${stderr}`;
  };
  expect(await said("status")).toContain("there is no store");

  await project.addTasks(["Parse dates"]);
  await project.ralph(...there, "memory", "store", "The tests of dates need TZ=UTC in the environment");
  for (const [words, text] of [
    [["status"], "Parse dates"],
    [["task", "list"], "Parse dates"],
    [["memory", "list"], "TZ=UTC"],
    [["memory", "find", "dates"], "TZ=UTC"],
    [["context", "t-1"], "Parse dates"],
    [["message", "use UTC"], "next iteration"],
    [["log"], "no runs yet"],
  ] as const)
    expect(await said(...words), words.join(" ")).toContain(text);
  expect(project.git("-C", "../linked", "status", "--porcelain", "--ignored")).toBe("");

  const run = await project.ralph(...there, "run");
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(`${project.dir} are run there`)]);
  await project.ralph(...there, "task", "add", "Only here");
  expect(await said("task", "list")).not.toContain("Parse dates");
});
