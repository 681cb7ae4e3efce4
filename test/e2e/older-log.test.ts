import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, withTasks } from "./practice.ts";

// Where the log here lacks what ralph recorded, its copy outside the project is all that has it.

let project: Practice;
afterEach(() => project?.remove());

const done = { "*": [{ write: { "src/{id}.txt": "x" }, say: "<task-done>{id}</task-done>" }] };
const files = ["progress.db", "events.jsonl"];
const pathOf = (name: string): string => join(project.dir, ".ralph", name);
/** In a process of its own: one that serves many keeps the store open, whose file these tests replace. */
const json = async (...args: string[]): Promise<readonly Record<string, string>[]> =>
  JSON.parse((await project.start(...args, "--json")).stdout);
const titles = async (): Promise<unknown> => (await json("task", "list", "--all")).map(({ title }) => title);

test("CTX-3: tasks and lessons from before the first run survive `git clean` too", async () => {
  project = practice();
  await project.start("task", "add", "one");
  await project.start("memory", "store", "Quokkas parse dates as UTC");
  project.git("clean", "-fdxq");
  expect((await project.start("status")).stderr).toMatch(
    /it kept a copy of the event log, .*\nhint: .*--repair/,
  );
  await project.start("doctor", "--repair");
  expect(await titles()).toEqual(["one"]);
  expect((await project.start("memory", "find", "quokkas")).stdout).toContain("Quokkas");
});

test("CTX-3: an emptied store beside an emptied log is missed as a removed one", async () => {
  project = await withTasks(done, ["one", "two"]);
  await project.start("run", "--once");
  for (const name of readdirSync(join(project.dir, ".ralph")).filter((one) => /^progress|^events/.test(one)))
    truncateSync(pathOf(name));
  const { code, stderr } = await project.start("task", "list");
  expect([code, stderr]).toEqual([5, expect.stringContaining("it kept a copy of the event log")]);
  await project.start("doctor", "--repair");
  expect(await json("task", "list", "--all")).toMatchObject([{ status: "done" }, { status: "pending" }]);
});

test("CTX-3: a backup in the same files takes nothing from the newer log, and a later repair names what it has", async () => {
  project = await withTasks(done, ["one", "two"]);
  await project.start("run", "--once");
  const kept = join(dirname(project.dir), "kept");
  mkdirSync(kept);
  for (const name of files) copyFileSync(pathOf(name), join(kept, name));
  await project.start("task", "add", "three", "--id", "t-3");
  for (const name of files) writeFileSync(pathOf(name), readFileSync(join(kept, name)));
  for (const end of ["-wal", "-shm"]) rmSync(pathOf(`progress.db${end}`), { force: true });
  await project.start("task", "add", "four", "--id", "t-4");
  const run = await project.run("--once");
  expect(run.events.find(({ type }) => type === "run.started")?.["warnings"]).toContainEqual(
    expect.stringMatching(/the event log lacks events .* a copy of the log that has them is .*projects/),
  );
  const [repaired] = await json("doctor", "--repair");
  expect(repaired?.["detail"]).toMatch(/other than ralph recorded here: .*task t-3/);
  const [, recorded = "", log = ""] = /copy (\S+) to (\S+),/.exec(repaired?.["hint"] ?? "") ?? [];
  rmSync(pathOf("progress.db"));
  copyFileSync(recorded, log);
  await project.start("doctor", "--repair");
  expect(await titles()).toContain("three");
});
