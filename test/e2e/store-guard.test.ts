import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { duringIteration, type Practice, practice, type RunEvent, waitForPerson } from "./practice.ts";

// What an agent writes into the store with a database driver is not ralph's word.

const writer = join(import.meta.dirname, "../fakes/write-store.mjs");
const sql = (...statements: readonly string[]): readonly string[] => [
  process.execPath,
  writer,
  ...statements,
];
const work = { "src/{id}.txt": "x" };

let project: Practice;
afterEach(() => project?.remove());

async function withTasks(
  script: Record<string, unknown>,
  config = 'sandbox: "off"\nverify: ["true"]\n',
  tasks = 3,
): Promise<Practice> {
  const made = practice({ "src/base.txt": "ok\n" });
  await made.useWorker(script, config);
  await made.addTasks(Array.from({ length: tasks }, (_, at) => `task ${at + 1}`));
  return made;
}

const finished = (events: readonly RunEvent[]) =>
  events.filter((event) => event.type === "iteration.finished");
const putBack = (...names: readonly string[]) =>
  names.map((name) => `put back ${name}: it was changed other than by ralph`);

/** What the agents of `t-1`, `t-2`, … do, and what ralph restores. */
const attacks: readonly (readonly [what: string, statement: string, names: readonly string[]])[] = [
  ["calls another task done", "UPDATE tasks SET status = 'done' WHERE id = 't-2'", ["task t-2"]],
  ["calls its own task done", "UPDATE tasks SET status = 'done' WHERE id = 't-2'", ["task t-2"]],
  [
    "weakens what verifies a task",
    `UPDATE tasks SET verification = '[{"run":"true"}]' WHERE id IN ('t-3', 't-4', 't-8')`,
    ["task t-3", "task t-4", "task t-8"],
  ],
  ["removes a task", "DELETE FROM tasks WHERE id = 't-5'", ["task t-5"]],
  ["removes its own task and claim", "DELETE FROM tasks WHERE id = 't-5'", ["task t-5"]],
  [
    "adds tasks past ralph",
    "INSERT INTO tasks (id, title, created_at, updated_at, parent_id) VALUES ('x', 'x', '', '', 't-6')",
    ["task x"],
  ],
  [
    "adds a dependency past ralph",
    "INSERT INTO dependencies VALUES ('t-7', 't-8')",
    ["the dependencies of t-8"],
  ],
];

test("LOOP-18: when an agent calls a task done, weakens, removes or adds one past ralph, its own too, it is put back and told", async () => {
  const steps = attacks.map(([, statement], at) => [`t-${at + 1}`, [{ write: work, run: [sql(statement)] }]]);
  const ids = Array.from({ length: attacks.length + 1 }, (_, at) => `t-${at + 1}`);
  project = await withTasks({ ...Object.fromEntries(steps), "*": [{ write: work }] }, undefined, ids.length);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(finished(events).map(({ taskId, outcome }) => [taskId, outcome])).toEqual(
    ids.map((id) => [id, "done"]),
  );
  const warnings = finished(events).map((event) => event["warnings"]);
  for (const [at, [what, , names]] of attacks.entries())
    expect(warnings[at], what).toEqual(expect.arrayContaining(putBack(...names)));
  expect(warnings.at(-1)).toEqual([]);
});

test("LOOP-18 TRUST-10: a trigger that an agent plants in the store is removed before it answers a write", async () => {
  const plant = sql(
    "CREATE TRIGGER planted AFTER UPDATE ON tasks BEGIN UPDATE tasks SET status = 'done'; END",
  );
  project = await withTasks(
    { "t-1": [{ write: { "src/bad.txt": "x" }, run: [plant] }], "*": [{ write: work }] },
    'sandbox: "off"\nverify: ["test ! -e src/bad.txt"]\n',
  );
  const { events } = await project.run("t-1", "--max-attempts", "1");
  expect(finished(events)[0]?.["warnings"]).toEqual(
    expect.arrayContaining(["removed planted from the store: only ralph changes its schema"]),
  );
  expect(await project.json("task", "list")).toMatchObject([
    { id: "t-1", status: "blocked" },
    { id: "t-2", status: "pending" },
    { id: "t-3", status: "pending" },
  ]);
});

test("LOOP-18 TRUST-12: of the many records of commits that an agent adds, the first are named and the others counted", async (context) => {
  onlyInLongForm(context);
  const add = sql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
     INSERT INTO pending_commits (iteration_id, task_id, base, paths, message, created_at)
     SELECT 'i-' || i, 'x-' || i || hex(zeroblob(500)), 'b', '{}', 'm', '2026' FROM n`,
  );
  project = await withTasks({ "*": [{ write: work, run: [add] }] }, undefined, 1);
  const warnings = finished((await project.run()).events).flatMap((event) => event["warnings"] as string[]);
  expect(warnings).toHaveLength(11);
  expect(warnings[0]).toMatch(/^removed the record of a commit of x-.*: it was added other than by ralph$/);
  expect(warnings.at(-1)).toBe("the same for 490 more records");
  expect(Math.max(...warnings.map(({ length }) => length))).toBeLessThan(200);
});

test("LOOP-18: an agent cannot make its failures forgotten", async () => {
  const forget = sql("DELETE FROM iteration_outcomes", "UPDATE strategy_metrics SET total_attempts = 0");
  project = await withTasks(
    { "t-1": [{ write: { "src/bad.txt": "x" } }, { write: { "src/bad.txt": "y" }, run: [forget] }] },
    'sandbox: "off"\nverify: ["test ! -e src/bad.txt"]\n',
  );
  const { events } = await project.run("t-1", "--max-attempts", "3");
  expect(finished(events).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(finished(events)[1]?.["warnings"]).toEqual(
    expect.arrayContaining(putBack("attempt 1 of t-1", "the report of attempt 1 of t-1")),
  );
  expect(await project.json("task", "list")).toMatchObject([
    { id: "t-1", status: "blocked", attempts: 3 },
    {},
    {},
  ]);
});

test("LOOP-18: an agent that removes its claim loses neither its task nor its work", async () => {
  const run = [sql("DELETE FROM claims")];
  project = await withTasks({ "t-1": [{ write: work, run }] });
  const { events } = await project.run("--once");
  expect(finished(events)[0]).toMatchObject({ taskId: "t-1", outcome: "done", taskStatus: "done" });
});

test("LOOP-18: what is changed through ralph meanwhile stays, beside what is put back", async () => {
  const forge = sql("UPDATE tasks SET title = 'forged' WHERE id IN ('t-2', 't-3')");
  project = await withTasks({ "t-1": [{ write: work, run: [waitForPerson] }], "*": [{ write: work }] });
  const run = project.run("--once");
  await duringIteration(project, async () => {
    await project.ralph("task", "add", "added", "--id", "t-4");
    await project.ralph("task", "edit", "t-2", "--title", "edited");
    await project.ralph("task", "depend", "t-3", "t-4");
    execFileSync(forge[0] ?? "", forge.slice(1), { cwd: project.dir });
    await project.ralph("task", "done", "t-2");
  });
  const { events } = await run;
  expect(finished(events)[0]?.["warnings"]).toEqual(putBack("task t-3"));
  expect(await project.json("task", "list")).toMatchObject([
    { id: "t-1", status: "done" },
    // Done through ralph after the forgery: what ralph wrote last is the word that counts.
    { id: "t-2", status: "done" },
    { id: "t-3", title: "task 3", status: "pending" },
    { id: "t-4", title: "added" },
  ]);
});

test("LOOP-18: tests cannot change the store either", async (context) => {
  onlyInLongForm(context);
  const check = `${process.execPath} ${writer} "UPDATE tasks SET status = 'done' WHERE id = 't-2'"`;
  project = await withTasks(
    { "*": [{ write: work }] },
    `sandbox: "off"\nverify: [${JSON.stringify(check)}]\n`,
  );
  const { events } = await project.run("--once");
  expect(finished(events)[0]).toMatchObject({
    outcome: "done",
    warnings: putBack("task t-2").map((warning) => `${warning} (verification did)`),
  });
  expect(await project.json("task", "list")).toMatchObject([{ status: "done" }, { status: "pending" }, {}]);
});
