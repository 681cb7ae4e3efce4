import { expect, test } from "vitest";
import type { Db } from "../../src/store/port/db.ts";
import { lacks } from "../../src/store/port/schema-objects.ts";
import { addTask, insertTask, now } from "./store-rows.ts";

/** Asserts what SQL a driver understands. */
export function testSql(store: () => Db): void {
  test("a foreign key refuses a missing parent, and a deleted parent takes its children along", async () => {
    const log = "INSERT INTO task_logs (task_id, message, timestamp) VALUES (?, 'm', ?)";
    await expect(store().transaction((tx) => tx.run(log, ["gone", now]))).rejects.toThrow("FOREIGN KEY");
    await store().transaction(async (tx) => {
      await addTask(tx, "a");
      await tx.run(log, ["a", now]);
      expect(await tx.run("DELETE FROM tasks WHERE id = ?", ["a"])).toBe(1);
    });
    expect(await store().all("SELECT * FROM task_logs")).toEqual([]);
  });

  test("ON CONFLICT updates or skips, and RETURNING gives the rows that were written", async () => {
    await store().transaction(async (tx) => {
      const upsert = `${insertTask} ON CONFLICT (id) DO UPDATE SET title = excluded.title RETURNING id, title`;
      expect(await tx.all(upsert, ["a", "one", now, now])).toEqual([{ id: "a", title: "one" }]);
      expect(await tx.all(upsert, ["a", "two", now, now])).toEqual([{ id: "a", title: "two" }]);
      const skip = `${insertTask} ON CONFLICT DO NOTHING RETURNING id`;
      expect(await tx.get(skip, ["a", "three", now, now])).toBeUndefined();
    });
  });

  test("recursive CTEs and window functions work with parameters", async () => {
    const rows = await store().all(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT i, SUM(i) OVER (ORDER BY i) AS total, ROW_NUMBER() OVER (ORDER BY i DESC) AS place FROM n ORDER BY i`,
      [3],
    );
    expect(rows).toEqual([
      { i: 1, total: 1, place: 3 },
      { i: 2, total: 3, place: 2 },
      { i: 3, total: 6, place: 1 },
    ]);
  });

  test("values keep their type: text with any character, integers to 2^53, reals, null", async () => {
    const title = `'"\\ \n 🦜 ? $1`;
    await store().transaction(async (tx) => {
      await addTask(tx, "a", title);
      await tx.run("UPDATE tasks SET position = ?, parallel_group = ? WHERE id = 'a'", [2 ** 53 - 1, null]);
      await tx.run(
        "INSERT INTO iteration_outcomes (task_id, attempt_number, model, started_at, duration_ms, outcome, cost_usd) VALUES ('a', 1, 'm', '', 0, 'done', 0.25)",
      );
    });
    const row = await store().get(
      `SELECT title, position, parallel_group, cost_usd FROM tasks JOIN iteration_outcomes ON task_id = id
       WHERE parallel_group IS NOT DISTINCT FROM ?`,
      [null],
    );
    expect(row).toEqual({ title, position: 2 ** 53 - 1, parallel_group: null, cost_usd: 0.25 });
  });
}

/** Asserts that a driver's dialect gives what drivers say differently. */
export function testDialect(stores: () => readonly [Db, Db]): void {
  test("inList, listRows and tupleRows take lists of any length", async () => {
    const [db] = stores();
    const all = Array.from({ length: 3000 }, (_, n) => `t-${n}`);
    await db.transaction(async (tx) => {
      const rows = tx.dialect.tupleRows(
        { id: "text", position: "integer", note: "text" },
        all.map((id, n) => [id, n, null]),
      );
      const written = await tx.run(
        `INSERT INTO tasks (id, title, created_at, updated_at, position, status_reason)
         SELECT id, id, ?, ?, position, note FROM ${rows.sql} AS new WHERE true`,
        [now, now, ...rows.params],
      );
      expect(written).toBe(all.length);
    });
    const some = db.dialect.inList("position", [1, 2999, 5000]);
    expect(
      await db.all(`SELECT id, status_reason FROM tasks WHERE ${some.sql} ORDER BY position`, some.params),
    ).toEqual([
      { id: "t-1", status_reason: null },
      { id: "t-2999", status_reason: null },
    ]);
    const none = db.dialect.inList("id", []);
    expect(await db.all(`SELECT id FROM tasks WHERE ${none.sql}`, none.params)).toEqual([]);
    const wanted = db.dialect.listRows("text", [...all.slice(0, 2), "gone"]);
    const found = `SELECT wanted.value, tasks.position FROM ${wanted.sql} AS wanted JOIN tasks ON tasks.id = wanted.value ORDER BY 2`;
    expect(await db.all(found, wanted.params)).toEqual([
      { value: "t-0", position: 0 },
      { value: "t-1", position: 1 },
    ]);
  });

  test("changeStamp changes with another handle's commits only", async () => {
    const [db, other] = stores();
    const before = await db.dialect.changeStamp();
    await db.transaction((tx) => addTask(tx, "own"));
    expect(await db.dialect.changeStamp()).toBe(before);
    await other.transaction((tx) => addTask(tx, "other"));
    expect(await db.dialect.changeStamp()).not.toBe(before);
  });

  test("columnsOf and schemaTables describe the schema", async () => {
    const [db] = stores();
    expect(await db.dialect.columnsOf("dependencies")).toEqual(["blocker_id", "blocked_id"]);
    expect(await db.dialect.columnsOf("no_such_table")).toBeUndefined();
    const tables = await db.dialect.schemaTables();
    expect(await lacks(db, tables)).toEqual([]);
    await db.transaction((tx) => tx.run("ALTER TABLE learnings DROP COLUMN agent"));
    expect(await lacks(db, tables)).toEqual(["the column agent of learnings"]);
    expect(await db.dialect.schemaVersion()).toBeGreaterThanOrEqual(12);
  });
}
