import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Db, Reader, Tx } from "../../src/store/db.ts";
import { lacks } from "../../src/store/schema-objects.ts";
import type { StoreDriver } from "./store-driver.ts";

const now = "2026-01-02T03:04:05.678Z";
const insertTask = "INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)";
const addTask = (tx: Tx, id: string, title = `Task ${id}`): Promise<number> =>
  tx.run(insertTask, [id, title, now, now]);
const idsOf = async (q: Reader): Promise<readonly unknown[]> =>
  (await q.all("SELECT id FROM tasks ORDER BY id")).map(({ id }) => id);

/** Asserts what ralph expects of a store driver. Every driver must pass all of it. */
export function testStoreDriver(driver: StoreDriver): void {
  describe(driver.name, () => {
    let folder: string;
    let db: Db;
    let other: Db;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "ralph-conformance-"));
      db = await driver.open(folder);
      other = await driver.open(folder);
    });

    afterEach(async () => {
      await db.close();
      await other.close();
      await rm(folder, { recursive: true });
    });

    testTransactions(() => [db, other]);
    testSql(() => db);
    testDialect(() => [db, other]);
    testKeys(() => [db, other]);
    testViews(() => [db, other]);

    test("writing to a read-only store, and opening a missing one read-only, are typed errors", async () => {
      const reader = await driver.open(folder, { readOnly: true });
      const refused = reader.transaction((tx) => addTask(tx, "a"));
      await expect(refused).rejects.toMatchObject({ code: "RALPH_STORE_READ_ONLY" });
      await reader.close();
      const missing = driver.open(join(folder, "missing"), { readOnly: true });
      await expect(missing).rejects.toMatchObject({ code: "RALPH_STORE_MISSING" });
    });

    test("a committed row is there after the store is closed and opened again", async () => {
      await db.transaction((tx) => addTask(tx, "kept"));
      await db.transaction((tx) => addTask(tx, "kept too"), { durable: false });
      await db.close();
      await other.close();
      db = await driver.open(folder);
      other = await driver.open(folder);
      expect(await idsOf(db)).toEqual(["kept", "kept too"]);
      await expect(db.close().then(() => db.all("SELECT 1"))).rejects.toThrow("closed");
    });
  });
}

function testTransactions(stores: () => readonly [Db, Db]): void {
  test("a transaction returns its result and commits all of its writes", async () => {
    const [db, other] = stores();
    const changed = await db.transaction(async (tx) => (await addTask(tx, "a")) + (await addTask(tx, "b")));
    expect(changed).toBe(2);
    expect(await idsOf(other)).toEqual(["a", "b"]);
  });

  test("a transaction that throws rethrows its error and undoes all of its writes", async () => {
    const [db, other] = stores();
    const failing = db.transaction(async (tx) => {
      await addTask(tx, "a");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect([await idsOf(db), await idsOf(other)]).toEqual([[], []]);
  });

  test("an uncommitted write is visible inside its transaction only", async () => {
    const [db, other] = stores();
    await db.transaction(async (tx) => {
      await addTask(tx, "a");
      expect(await idsOf(tx)).toEqual(["a"]);
      expect(await idsOf(other)).toEqual([]);
    });
    expect(await idsOf(other)).toEqual(["a"]);
  });

  test("a savepoint that throws undoes its own writes and keeps the transaction usable, also when nested", async () => {
    const [db] = stores();
    await db.transaction(async (tx) => {
      await addTask(tx, "a");
      const duplicate = tx.savepoint(async () => {
        await addTask(tx, "b");
        await tx.savepoint(() => addTask(tx, "c"));
        await addTask(tx, "a");
      });
      const error = await duplicate.catch((reason: unknown) => reason);
      expect(tx.dialect.isRowError(error)).toBe(true);
      expect(await tx.savepoint(() => addTask(tx, "d"))).toBe(1);
    });
    expect(await idsOf(db)).toEqual(["a", "d"]);
  });

  test("two handles that read and write the same row at once lose no update", async () => {
    const [db, other] = stores();
    await db.transaction((tx) => addTask(tx, "a"));
    const increment = (store: Db): Promise<unknown> =>
      store.transaction(async (tx) => {
        const row = await tx.get<{ fence: number }>("SELECT fence FROM tasks WHERE id = 'a'");
        await sleep(1);
        await tx.run("UPDATE tasks SET fence = ? WHERE id = 'a'", [(row?.fence ?? 0) + 1]);
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => increment(n % 2 === 0 ? db : other)));
    expect(await db.get("SELECT fence FROM tasks")).toEqual({ fence: 20 });
  });

  test("a transaction used after its end, and the Db inside its own transaction, are errors", async () => {
    const [db] = stores();
    const escaped = await db.transaction(async (tx) => ({ tx }));
    await expect(addTask(escaped.tx, "a")).rejects.toThrow("after its end");
    await expect(db.transaction(() => db.all("SELECT 1"))).rejects.toThrow("inside its own transaction");
    expect(await idsOf(db)).toEqual([]);
  });
}

function testSql(store: () => Db): void {
  test("a foreign key refuses a missing parent, and a deleted parent takes its children along", async () => {
    const log = "INSERT INTO task_logs (task_id, message, timestamp) VALUES (?, 'm', ?)";
    const orphan = await store()
      .transaction((tx) => tx.run(log, ["gone", now]))
      .catch((reason: unknown) => reason);
    expect(store().dialect.isRowError(orphan)).toBe(true);
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

  test("a statement that is not valid SQL is no row error", async () => {
    const error = await store()
      .all("SELEC 1")
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(store().dialect.isRowError(error)).toBe(false);
  });
}

function testDialect(stores: () => readonly [Db, Db]): void {
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

  test("tables, columnsOf and schemaObjects describe the schema", async () => {
    const [db] = stores();
    const tables = await db.dialect.tables();
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(["learnings", "outbox", "tasks"]));
    const dependencies = tables.find(({ name }) => name === "dependencies");
    expect(dependencies?.columns).toEqual([
      { name: "blocker_id", keyPosition: 1, nullable: false },
      { name: "blocked_id", keyPosition: 2, nullable: false },
    ]);
    expect(await db.dialect.columnsOf("dependencies")).toEqual(["blocker_id", "blocked_id"]);
    expect(await db.dialect.columnsOf("no_such_table")).toBeUndefined();
    const objects = await db.dialect.schemaObjects();
    expect(await lacks(db, objects)).toEqual([]);
    await db.transaction((tx) => tx.run("ALTER TABLE learnings DROP COLUMN agent"));
    expect(await lacks(db, objects)).toEqual(["the column agent of learnings"]);
    expect(await db.dialect.schemaVersion()).toBeGreaterThanOrEqual(12);
    expect(await db.dialect.findDamage()).toBeUndefined();
  });

  test("literalOf differs for values and types that differ", async () => {
    const [db] = stores();
    const rows = await db.all<{ a: string; b: string; c: string; d: string }>(
      `SELECT ${db.dialect.literalOf("v")} AS a, ${db.dialect.literalOf("w")} AS b, ${db.dialect.literalOf("x")} AS c,
       ${db.dialect.literalOf("y")} AS d FROM (SELECT NULL AS v, 'NULL' AS w, '' AS x, 'null' AS y) AS one`,
    );
    expect(new Set(Object.values(rows[0] ?? {})).size).toBe(4);
  });
}

function testKeys(stores: () => readonly [Db, Db]): void {
  test("deferred foreign keys are checked at the commit, and orphans can be found before it", async () => {
    const [db] = stores();
    const learning = `INSERT INTO learnings (id, task_id, category, content, relevance_tags, created_at) VALUES (?, ?, 'other', '', '[]', ?)`;
    await db.transaction(async (tx) => {
      await tx.dialect.deferForeignKeys();
      await tx.run("INSERT INTO task_logs (task_id, message, timestamp) VALUES ('late', 'm', ?)", [now]);
      await tx.run(learning, ["l-1", "never", now]);
      await addTask(tx, "late");
      const orphans = await tx.dialect.orphans();
      expect(orphans).toMatchObject([{ table: "learnings", columns: [{ name: "task_id", nullable: true }] }]);
      for (const { table, where } of orphans)
        expect(await tx.run(`UPDATE ${table} SET task_id = NULL WHERE ${where.sql}`, where.params)).toBe(1);
    });
    const broken = db.transaction(async (tx) => {
      await tx.dialect.deferForeignKeys();
      await tx.run(learning, ["l-2", "never", now]);
    });
    expect(db.dialect.isRowError(await broken.catch((reason: unknown) => reason))).toBe(true);
    expect(await db.all("SELECT id, task_id FROM learnings")).toEqual([{ id: "l-1", task_id: null }]);
  });

  test("generated numbers rise, are not reused, and can be continued", async () => {
    const [db] = stores();
    const add = "INSERT INTO outbox (timestamp, type, data, rows) VALUES ('', '', '{}', '[]') RETURNING seq";
    expect(await db.dialect.lastNumber("outbox")).toBe(0);
    await db.transaction(async (tx) => {
      await tx.dialect.continueNumbers("outbox", 41);
      expect(await tx.get(add)).toEqual({ seq: 42 });
      await tx.run("DELETE FROM outbox");
      expect(await tx.get(add)).toEqual({ seq: 43 });
      await tx.dialect.continueNumbers("outbox", 7);
      expect(await tx.get(add)).toEqual({ seq: 44 });
    });
    expect(await db.dialect.lastNumber("outbox")).toBe(44);
  });
}

function testViews(stores: () => readonly [Db, Db]): void {
  test("a view keeps showing the moment it was opened, and blocks nobody", async () => {
    const [db, other] = stores();
    await db.transaction((tx) => addTask(tx, "before"));
    const view = await db.view();
    await other.transaction((tx) => addTask(tx, "other"));
    await db.transaction((tx) => addTask(tx, "own"));
    expect(await idsOf(view)).toEqual(["before"]);
    await view.close();
    expect(await idsOf(db)).toEqual(["before", "other", "own"]);
  });

  test("rescueFile reports that nothing was lost of a store in its place", async () => {
    const [db] = stores();
    expect(await db.rescueFile()).toBe(false);
  });
}
