import { renameSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** A repository with `sibling/` and `other/`, whose folder `project/` holds ralph. */
async function monorepo(steps: readonly object[], config = ""): Promise<Practice> {
  const made = practice({ "check.sh": "grep -q ok src.txt\n", "src.txt": "ok\n", "test/a.test.js": "\n" });
  await made.useWorker({ "*": steps }, `verify: ["sh check.sh"]\n${config}`);
  renameSync(`${made.dir}/.git`, `${made.dir}/../.git`);
  made.write("../.gitignore", "/home/\n/worker.sh\n/prompts/\n*.log\n");
  made.write("../sibling/a.js", "1\n");
  made.write("../sibling/test/a.test.js", "test('a')\n");
  made.write("../other/mine.txt", "mine\n");
  made.git("add", "-A", "..");
  made.git("commit", "-qm", "a monorepo");
  return made;
}

const work = { "src.txt": "ok 2\n", "../sibling/a.js": "2\n", "../sibling/new/b.js": "3\n", "../x.log": "x" };

test("LOOP-25: what an agent changes elsewhere in the repository is committed, and undone", async () => {
  project = await monorepo([{ write: work, remove: ["../sibling/test/a.test.js"] }]);
  await project.addTasks(["one"]);
  const { code, events } = await project.run();
  const ends = finished(events);
  expect([code, ends]).toMatchObject([0, [{ outcome: "done" }]]);
  expect(ends[0]?.["files"]).toEqual([
    "src.txt",
    "../sibling/a.js",
    "../sibling/test/a.test.js",
    "../sibling/new/b.js",
  ]);
  expect(project.git("status", "--porcelain")).toBe("");
  const committed = ["project/src.txt", "sibling/a.js", "sibling/new/b.js", "sibling/test/a.test.js"];
  expect(project.git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual(committed);
  const { stdout } = await project.ralph("diff", "t-1");
  expect(stdout).toContain("diff --git a/../sibling/a.js b/../sibling/a.js\n");
  expect(stdout).toContain("--- /dev/null\n+++ b/../sibling/new/b.js\n");
  expect(stdout).toContain("--- a/src.txt\n+++ b/src.txt\n");
  expect((await project.ralph("undo", "t-1")).code).toBe(0);
  expect(project.read("../sibling/a.js")).toBe("1\n");
});

test("LOOP-9 LOOP-25: a failed attempt's changes elsewhere leave the tree, and return; a person's stay", async () => {
  project = await monorepo([]);
  const bad = { write: { ...work, "src.txt": "bad\n", "../other/mine.txt": "agent\n" } };
  const good = { write: { "other.txt": "ok\n" }, run: [["sh", "-c", "cat ../sibling/a.js > seen.txt"]] };
  project.setScript({
    "t-1": [bad, { write: { "src.txt": "ok\n" }, run: [["test", "-e", "../sibling/new/b.js"]] }],
    "t-2": [good],
  });
  await project.addTasks(["one", "two"]);
  project.write("../other/new.txt", "mine\n");
  const { events } = await project.run("--max-attempts", "1");
  expect(finished(events)).toMatchObject([{ outcome: "failed" }, { outcome: "done", warnings: [] }]);
  expect(project.read("seen.txt")).toBe("1\n");
  expect(project.git("status", "--porcelain")).toBe("?? other/new.txt");
  await project.ralph("task", "retry", "t-1");
  expect(finished((await project.run()).events)).toMatchObject([{ outcome: "done" }]);
  expect([project.git("show", "HEAD:sibling/new/b.js"), project.git("status", "--porcelain")]).toEqual([
    "3",
    "?? other/new.txt",
  ]);
});

test("LOOP-25: with scope, what changes outside of it is not the project's", async () => {
  project = await monorepo([{ write: work }], "scope: .\n");
  project.write("../other/mine.txt", "dirty\n");
  await project.addTasks(["one"]);
  const { code, events } = await project.run();
  expect([code, finished(events)]).toMatchObject([0, [{ outcome: "done", files: ["src.txt"] }]]);
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("project/src.txt");
  project.write(
    ".ralph/config.yaml",
    `${project.read(".ralph/config.yaml").replace("scope: .", "scope: nothing")}`,
  );
  await project.approveConfig();
  await project.addTasks([{ id: "t-2", title: "two" }]);
  const { stderr } = await project.start("run");
  expect(stderr).toMatch(
    /scope "nothing" is not a folder of the repository: it does not exist\nhint: .*`scope: \.`/,
  );
});
