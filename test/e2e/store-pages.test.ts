import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

// An agent that writes the store's file itself, which no connection of SQLite notices.

const writer = join(import.meta.dirname, "../fakes/write-pages.mjs");
const work = { "src/{id}.txt": "x" };
const rebuilt = "rebuilt .ralph/progress.db from the event log: the agent damaged it";
const back = "put back .ralph/progress.db: an agent may not change it";

let project: Practice;
afterEach(() => project?.remove());

/** A project with tasks on many pages, in which the agent of a task runs `command`. */
async function withAttack(command: readonly string[], task = "t-1"): Promise<void> {
  project = practice({ "src/base.txt": "ok\n" });
  await project.useWorker(
    { [task]: [{ write: work, run: [command] }], "*": [{ write: work }] },
    'sandbox: "off"\nverify: ["true"]\n',
  );
  await project.addTasks(Array.from({ length: 60 }, (_, at) => `task${at + 1}${" word".repeat(40)}`));
}

test("LOOP-18 LOOP-4: a task that an agent calls done in the bytes of the store's file is put back", async () => {
  await withAttack([
    process.execPath,
    writer,
    "UPDATE tasks SET status = 'done' WHERE id = 't-50'",
    "task50 ",
  ]);
  const { events } = await project.run("--once");
  expect(await project.json("task", "show", "t-50")).toMatchObject({ status: "pending" });
  expect(finished(events)).toMatchObject([{ outcome: "done", warnings: [expect.stringContaining(rebuilt)] }]);
  const checks = (await project.json("doctor")) as { check: string; status: string }[];
  expect(checks.find(({ check }) => check === "store")).toMatchObject({ status: "ok" });
});

test("LOOP-18 LOOP-4: a task that an agent calls done in the bytes of the write-ahead log is put back", async (context) => {
  onlyInLongForm(context);
  const sql = "UPDATE tasks SET status = 'done' WHERE id = 't-2'";
  // The iteration of t-1 wrote that page, and that of t-40 writes another one.
  await withAttack(["sh", "-c", `"${process.execPath}" "${writer}" "${sql}" "task2 " > ../wrote`], "t-40");
  const { events } = await project.run("t-1", "t-40");
  expect(project.read("../wrote")).toMatch(/^the write-ahead log$/m);
  expect(await project.json("task", "show", "t-2")).toMatchObject({ status: "pending" });
  expect(finished(events)).toMatchObject([
    { outcome: "done", warnings: [] },
    { outcome: "done", warnings: [expect.stringContaining(rebuilt)] },
  ]);
});

test("LOOP-18 LOOP-4: the same is put back when the agent also empties the log", async (context) => {
  onlyInLongForm(context);
  await withAttack([
    "sh",
    "-c",
    `"${process.execPath}" "${writer}" "UPDATE tasks SET status = 'done' WHERE id = 't-50'" "task50 "; : > .ralph/events.jsonl`,
  ]);
  const { events } = await project.run("--once");
  expect(await project.json("task", "show", "t-50")).toMatchObject({ status: "pending" });
  const restored = "restored .ralph/events.jsonl from its copy: it was changed other than by ralph";
  expect(finished(events)).toMatchObject([
    { outcome: "done", warnings: [expect.stringContaining(restored), expect.stringContaining(rebuilt)] },
  ]);
});

test("LOOP-18: another store in the bytes of the store's file, and no write-ahead log, is replaced", async () => {
  const other = "cp ../other.db .ralph/progress.db; rm -f .ralph/progress.db-wal .ralph/progress.db-shm";
  await withAttack(["sh", "-c", other]);
  const foreign = practice();
  try {
    await foreign.addTasks(Array.from({ length: 60 }, (_, at) => `foreign${at + 1}${" item".repeat(40)}`));
    copyFileSync(join(foreign.dir, ".ralph/progress.db"), join(project.dir, "../other.db"));
  } finally {
    foreign.remove();
  }
  const { events } = await project.run("--once");
  expect(finished(events)).toMatchObject([
    { outcome: "done", warnings: [expect.stringMatching(/^(?:put back|rebuilt) .ralph\/progress.db/)] },
  ]);
  const tasks = (await project.json("task", "list")) as { title: string }[];
  expect(tasks.filter(({ title }) => title.startsWith("task"))).toHaveLength(60);
  const checks = (await project.json("doctor")) as { check: string; status: string }[];
  expect(checks.find(({ check }) => check === "store")).toMatchObject({ status: "ok" });
});

test("LOOP-18: a link to the store's own file in its place is replaced by the file", async () => {
  const moved =
    "mv .ralph/progress.db ../moved.db; cp .ralph/progress.db-wal ../moved.db-wal; ln -s ../../moved.db .ralph/progress.db";
  await withAttack(["sh", "-c", moved]);
  const { events } = await project.run("--once");
  expect(finished(events)).toMatchObject([{ outcome: "done", warnings: [back] }]);
  expect(await project.json("task", "show", "t-1")).toMatchObject({ status: "done" });
});

test("LOOP-18: `ralph verify` puts back what the verification writes into the bytes of the store's file", async () => {
  await withAttack(["true"]);
  const sql = "UPDATE tasks SET status = 'done' WHERE id = 't-50'";
  project.write("check.sh", `"${process.execPath}" "${writer}" "${sql}" "task50 "\n`);
  project.write(
    ".ralph/config.yaml",
    `${project.read(".ralph/config.yaml")}`.replace('"true"', '"sh check.sh"'),
  );
  await project.approveConfig();
  const { code, stderr } = await project.ralph("verify");
  expect(code).toBe(0);
  expect(stderr).toContain(rebuilt);
  expect(await project.json("task", "show", "t-50")).toMatchObject({ status: "pending" });
});
