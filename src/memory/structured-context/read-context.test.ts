import { expect, test } from "vitest";
import { sampleOutcome } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import type { Db, Reader, SqlValue } from "../../store/port/db.ts";
import { addTask } from "../../tasks/graph/task-graph.ts";
import { storedText } from "../../trust/stored-text.ts";
import { countContext, readContext, readOthers } from "./read-context.ts";

/** A store with finished tasks `t-1` to `t-COUNT`, each with two records, of which the second names a file of the task. */
async function finishedTasks(count: number): Promise<Db> {
  const db = await openTempStore();
  const ids = Array.from({ length: count }, (_, n) => `t-${n + 1}`);
  await db.transaction(async (tx) => {
    for (const [n, id] of ids.entries()) {
      await addTask(tx, { task: { id, title: `Task ${id}` }, after: [] }, new Date(n));
      await tx.run("UPDATE tasks SET status = 'done' WHERE id = ?", [id]);
      for (const attempt of [1, 2]) {
        await tx.run(
          `INSERT INTO learning_records (id, task_id, attempt_number, recorded_at, outcome, files, file_name)
           VALUES (?, ?, ?, ?, 'success', ?, ?)`,
          [
            ...[`r-${id}-${attempt}`, id, attempt, new Date(n * 10 + attempt).toISOString()],
            ...[JSON.stringify([`${id}-${attempt}.ts`]), `${id}-${attempt}.yaml`],
          ],
        );
      }
    }
  });
  return db;
}

test("CTX-1: the file has each finished task once, oldest first, with the files of its last attempt", async () => {
  const { stories } = await readContext(await finishedTasks(230));
  expect(stories).toHaveLength(200);
  expect([stories[0]?.id, stories.at(-1)?.id]).toEqual(["t-31", "t-230"]);
  expect(stories.at(-1)?.filesModified).toEqual(["t-230-2.ts"]);
});

test("CTX-1: a prompt reads the last results of other tasks, however many there are", async () => {
  const db = await finishedTasks(40);
  let read = 0;
  const counting: Reader = {
    ...db,
    all: async <T>(sql: string, params: readonly SqlValue[] = []): Promise<readonly T[]> => {
      const rows = await db.all<T>(sql, params);
      read += rows.length;
      return rows;
    },
  };
  const { stories } = await readOthers(counting, "t-40", 3);
  expect(stories.map(({ id }) => id)).toEqual(["t-37", "t-38", "t-39"]);
  expect(read).toBeLessThan(10);
});

test("CTX-1: the file has the last 20 failures, oldest first, with 500 characters of each error", async () => {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    await addTask(tx, { task: { id: "t-1", title: "Task" }, after: [] }, new Date());
    for (let attempt = 1; attempt <= 25; attempt += 1) {
      const reason = `${attempt}: `.padEnd(600, "x");
      await recordOutcome(tx, sampleOutcome({ attempt, reason: storedText(reason) }));
    }
  });
  const { failures } = await readContext(db);
  expect(failures.map(({ error }) => Number.parseInt(error, 10))).toEqual(
    Array.from({ length: 20 }, (_, n) => n + 6),
  );
  for (const { error } of failures) expect(error).toHaveLength(500);
  expect(await countContext(db)).toEqual({ stories: 0, failures: 20 });
});

test("CTX-1: of a story the file has 50 files, and of its lessons 1,000 characters", async () => {
  const db = await finishedTasks(1);
  const files = JSON.stringify(Array.from({ length: 60 }, (_, n) => `f-${n}`));
  await db.transaction(async (tx) => {
    await tx.run("UPDATE learning_records SET files = ?", [files]);
    for (const n of [1, 2, 3]) {
      await tx.run(
        `INSERT INTO learnings (id, category, content, relevance_tags, created_at, source)
         VALUES (?, 'pitfall', ?, '[]', '2026', 'agent')`,
        [`l-${n}`, "y".repeat(400)],
      );
      await tx.run(
        `INSERT INTO learning_record_entries (record_id, number, learning_id, content, list, stated_in)
         VALUES ('r-t-1-2', ?, ?, ?, 'discoveries', 'final message')`,
        [n, `l-${n}`, "y".repeat(400)],
      );
    }
  });
  const { stories } = await readContext(db);
  expect(stories[0]?.filesModified).toHaveLength(50);
  expect(stories[0]?.learnings).toHaveLength(1000);
});
