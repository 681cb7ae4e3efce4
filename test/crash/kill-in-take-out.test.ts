import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { type DeadlyGit, deadlyGit } from "./deadly-git.ts";

let project: Practice;
let git: DeadlyGit;
afterEach(() => {
  project?.remove();
  git?.remove();
});

const whole = process.env["RALPH_TEST_KILLS"] !== undefined;
const few = ["update-ref -m"];
const others = ["hash-object -t commit", "write-tree", "diff-index --cached", "for-each-ref"];
const all = [...others, "update-index -z --index-info", ...few];

/** An agent that commits a person's edits with its own work: one staged and edited on, one new and staged. */
async function withCommitOfEdits(): Promise<void> {
  git = deadlyGit();
  project = practice({ "mine.txt": "a\n", "src/base.txt": "x\n" }, { PATH: git.path });
  const commit = "git add -A; git diff --cached --quiet || git commit -qm own";
  const step = { write: { "src/one.txt": "work\n" }, run: [["sh", "-c", commit]] };
  await project.useWorker({ "*": [step] }, 'verify: ["true"]\n');
  await project.addTasks(["one"]);
  project.write("mine.txt", "staged\n");
  project.write("new.txt", "new\n");
  project.git("add", "mine.txt", "new.txt");
  project.write("mine.txt", "staged, then edited\n");
}

async function expectWhole(): Promise<void> {
  const { code, stderr } = await project.run("--allow-dirty");
  expect([code, stderr]).toEqual([0, ""]);
  expect(project.git("status", "--porcelain")).toBe("MM mine.txt\nA  new.txt");
  expect(project.git("show", ":mine.txt")).toBe("staged");
  expect(project.read("mine.txt")).toBe("staged, then edited\n");
  expect(project.read("src/one.txt")).toBe("work\n");
  expect(project.git("log", "--format=", "--name-only", "HEAD", "-2").split("\n")).toContain("src/one.txt");
  expect(project.git("log", "--format=%s", "--", "mine.txt")).toBe("start");
  expect(project.git("log", "--format=%s", "--", "new.txt")).toBe("");
}

test.each(whole ? all : few)(
  "LOOP-9 LOOP-11: killed at git's %s while a person's edits are taken out of a commit, the next start finishes it",
  async (step) => {
    await withCommitOfEdits();
    git.dieAt(step);
    await project.run("--allow-dirty");
    expect(git.waits()).toBe(false);
    await expectWhole();
  },
);

test("LOOP-9 LOOP-11: so does the start after one that was killed when it had just done that", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await withCommitOfEdits();
  git.dieAt("update-ref -m");
  await project.run("--allow-dirty");
  git.dieAfter("update-ref -m");
  await project.run("--allow-dirty");
  expect(git.waits()).toBe(false);
  await expectWhole();
});
