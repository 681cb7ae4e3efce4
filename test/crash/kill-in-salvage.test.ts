import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { type DeadlyGit, deadlyGit } from "./deadly-git.ts";

let project: Practice;
let git: DeadlyGit;
afterEach(() => {
  project?.remove();
  git?.remove();
});

const steps = process.env["RALPH_TEST_KILLS"] === undefined ? [] : ["--index-info", "-u", "update-ref"];

test.each(steps)(
  "LOOP-11: killed at git's %s while it puts work aside, ralph goes on by itself",
  async (step) => {
    git = deadlyGit();
    project = practice(
      {
        "check.mjs": 'import{readdirSync}from"node:fs";process.exit(readdirSync("src").includes("bad")?1:0)',
        "src/ok": "",
      },
      { PATH: git.path },
    );
    const script = {
      "t-1": [{ write: { "src/bad": "x", "src/more": "y" }, commit: "own" }],
      "*": [{ write: { "src/{id}": "z" } }],
    };
    await project.useWorker(script, 'verify: ["node check.mjs"]\n');
    await project.addTasks(["t-1", "t-2"]);
    await project.run("--once", "--max-attempts", "1");
    git.dieAt(step);
    await project.run("--max-attempts", "1");
    expect(git.waits()).toBe(false);
    const { code, events } = await project.run("--max-attempts", "1");
    expect(events.at(-1)).toMatchObject({ reason: "stuck", tasks: { done: 1, blocked: 1 } });
    expect(code).toBe(4);
    expect(project.commits().slice(0, 2)).toEqual(["t-2", "configure ralph"]);
    expect(project.git("status", "--porcelain")).toBe("");
    expect(project.git("ls-tree", "--name-only", "refs/ralph/salvage/t-1-1:src")).toContain("bad\nmore");
  },
);

test("LOOP-11 LOOP-9: killed while it puts a task's work aside, the same task comes next and has its work again", async () => {
  git = deadlyGit();
  project = practice({ "check.sh": "! grep -rqs BROKEN src\n", "src/ok": "" }, { PATH: git.path });
  const script = {
    "t-1": [
      { write: { "src/bad": "BROKEN\n" }, run: [["git", "add", "src/bad"]] },
      { run: [["sh", "-c", "cat src/bad > ../seen; echo fine > src/bad"]] },
    ],
    "*": [{ write: { "src/{id}": "z" } }],
  };
  await project.useWorker(script, 'verify: ["sh check.sh"]\n');
  await project.addTasks(["t-1", "t-2"]);
  await project.run("--once");
  await project.ralph("task", "edit", "t-1", "--priority", "low");
  git.dieAt("--index-info");
  await project.run("--once");
  expect(git.waits()).toBe(false);
  await project.ralph("task", "edit", "t-1", "--priority", "high");
  project.write("mine.txt", "mine\n");
  const { code, stderr } = await project.run();
  expect([stderr, code]).toEqual(["", 0]);
  expect(readFileSync(join(project.dir, "../seen"), "utf8")).toBe("BROKEN\n");
  expect(project.git("show", "--format=", "--name-only", ":/^t-1")).toBe("src/bad");
  expect(project.git("status", "--porcelain")).toBe("?? mine.txt");
});
