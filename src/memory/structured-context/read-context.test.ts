import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Db, Reader, SqlValue } from "../../store/db.ts";
import { addTask } from "../../tasks/graph.ts";
import { readContext, readOthers } from "./read-context.ts";

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
