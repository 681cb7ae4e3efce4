import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, practice } from "./practice.ts";

const writer = join(import.meta.dirname, "../fakes/write-store.mjs");

let project: Practice;
afterEach(() => project?.remove());

const done = "UPDATE tasks SET status = 'done' WHERE id = 'last'";
/** The default suite makes the first three of these. */
const attacks: readonly (readonly string[])[] = variants(
  [
    ["PRAGMA foreign_keys = OFF", "DROP TABLE claims", "DROP TABLE iterations", "DROP TABLE runs"],
    ["ALTER TABLE tasks RENAME TO other", "CREATE VIEW tasks AS SELECT * FROM other"],
    ["ALTER TABLE tasks ADD COLUMN planted TEXT DEFAULT 'x'"],
    ["PRAGMA foreign_keys = OFF", "DROP TABLE outbox"],
    ["CREATE UNIQUE INDEX planted ON tasks (title)"],
    ["PRAGMA user_version = 999"],
  ],
  3,
);

test("LOOP-18 TRUST-10: a store whose tables an agent drops, changes or renames is rebuilt, and the work is recorded", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  const steps = attacks.map((statements, at) => [
    `t-${at}`,
    [{ write: { "src/{id}.txt": "x" }, run: [[process.execPath, writer, done, ...statements]] }],
  ]);
  const script = { ...Object.fromEntries(steps), "*": [{ fail: "not yet" }] };
  await project.useWorker(script, 'sandbox: "off"\nverify: ["true"]\nlimits: { maxAttempts: 1 }\n');
  const ids = attacks.map((_, at) => `t-${at}`);
  await project.addTasks([...ids, "last"].map((id) => ({ id, title: id })));
  const { events, stderr } = await project.run();
  expect(stderr).toBe("");
  const finished = events.filter(({ type }) => type === "iteration.finished");
  for (const [at, statements] of attacks.entries()) {
    expect(finished[at], statements.join()).toMatchObject({ taskId: `t-${at}`, outcome: "done" });
    expect(finished[at]?.["warnings"], statements.join()).toContainEqual(
      expect.stringContaining("rebuilt .ralph/progress.db from the event log: the agent damaged it"),
    );
  }
  expect(finished.at(-1)).toMatchObject({ taskId: "last" });
  expect(finished.at(-1)?.["outcome"]).not.toBe("done");
});
