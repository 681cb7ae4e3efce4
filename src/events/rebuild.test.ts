import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { flushTo, type RebuildStores, rebuildStores, writeRow } from "../../test/rebuild-stores.ts";
import type { Db, Reader, SqlValue, Tx } from "../store/db.ts";
import { readLog } from "./log/read-log.ts";
import { rebuildFromLog } from "./rebuild.ts";

let folder: string;
let stores: RebuildStores;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ralph-rebuild-"));
  stores = rebuildStores(folder);
});

afterEach(() => rm(folder, { recursive: true }));

const withStore: RebuildStores["withStore"] = (work) => stores.withStore(work);

async function logOf(work: (db: Db) => Promise<void>): Promise<string> {
  const file = stores.newLog();
  await withStore(async (db) => {
    await work(db);
    await flushTo(db, file);
  });
  return file;
}

const task = (tx: Tx, id: string, more: Record<string, SqlValue> = {}): Promise<void> =>
  writeRow(tx, "tasks", ["id"], { id, title: `Task ${id}`, created_at: "", updated_at: "", ...more });

const ids = async (db: Reader): Promise<unknown[]> =>
  (await db.all("SELECT id FROM tasks ORDER BY id")).map(({ id }) => id);

test("CTX-3: a rebuilt store continues the same log", async () => {
  const file = await logOf((db) => db.transaction((tx) => task(tx, "a")));
  await withStore(async (db) => {
    await rebuildFromLog(db, file);
    await db.transaction((tx) => task(tx, "b"));
    await flushTo(db, file);
  });
  expect((await readLog(file)).map(({ seq }) => seq)).toEqual([1, 2]);
  await withStore(async (db) => {
    expect((await rebuildFromLog(db, file)).rows).toBe(2);
    expect(await ids(db)).toEqual(["a", "b"]);
  });
});

test("CTX-3 TASK-6: rows older than the log, as after a migration, are added to it", async () => {
  const file = await logOf(async (db) => {
    await db.transaction(async (tx) => {
      for (let n = 0; n < 450; n += 1) {
        await tx.run("INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, '', '', '')", [
          `t-${n}`,
        ]);
      }
      await tx.run(
        `INSERT INTO outbox (seq, timestamp, type, data, rows) VALUES (2, '', 'store.migrated', '{}', '[]')`,
      );
    });
  });
  expect((await readLog(file)).map(({ type }) => type)).toEqual([
    "store.snapshot",
    "store.snapshot",
    "store.snapshot",
    "store.migrated",
  ]);
  await withStore(async (db) =>
    expect(await rebuildFromLog(db, file)).toMatchObject({ rows: 450, skippedLines: 0 }),
  );
});

test("CTX-3: a snapshot replaces everything before it, an incomplete one replaces nothing", async () => {
  const file = await logOf((db) => db.transaction((tx) => task(tx, "old")));
  const line = (part: number, id: string): string => {
    const rows = [{ table: "tasks", op: "put", row: { id, title: "", created_at: "", updated_at: "" } }];
    return `${JSON.stringify({ timestamp: "", type: "store.snapshot", jobId: null, part, parts: 2, rows })}\n`;
  };
  await appendFile(file, line(1, "half"));
  await withStore(async (db) => {
    await rebuildFromLog(db, file);
    expect(await ids(db)).toEqual(["half", "old"]);
  });
  await appendFile(file, line(1, "new1") + line(2, "new2"));
  await withStore(async (db) => {
    await rebuildFromLog(db, file);
    expect(await ids(db)).toEqual(["new1", "new2"]);
  });
});

test("torn lines, invalid rows and missing parents affect only themselves", async () => {
  const file = await logOf((db) =>
    db.transaction(async (tx) => {
      await task(tx, "parent");
      await task(tx, "child", { parent_id: "parent" });
      await writeRow(tx, "strategy_metrics", ["task_id"], { task_id: "parent", total_attempts: 3 });
      await task(tx, "last");
    }),
  );
  const [first = "", ...others] = (await readFile(file, "utf8")).split("\n");
  const put = (table: string, row: unknown): string =>
    JSON.stringify({ type: "a.b", timestamp: "", rows: [{ table, op: "put", row }] });
  const odd = [
    first.slice(0, 40),
    put("tasks", { id: "no-title" }),
    put("tasks", { id: { x: 1 } }),
    put("tasks", { id: "later", title: "", created_at: "", updated_at: "", column_of_the_future: 1 }),
    put("table_of_the_future", { id: 1 }),
    put("sqlite_schema", { name: "x" }),
    put("outbox", { seq: 99 }),
    put("claims", { task_id: "last" }),
    '{"type":"a.b","timestamp":"","rows":7}',
  ];
  await writeFile(file, [...odd, ...others].join("\n"));
  await withStore(async (db) => {
    expect(await rebuildFromLog(db, file)).toMatchObject({ rows: 3, skippedLines: 3 });
    expect(await db.all("SELECT id, parent_id FROM tasks ORDER BY id")).toEqual([
      { id: "child", parent_id: null },
      { id: "last", parent_id: null },
      { id: "later", parent_id: null },
    ]);
    expect(await db.all("SELECT * FROM claims UNION ALL SELECT * FROM claims")).toEqual([]);
    expect(await db.all("PRAGMA foreign_key_check")).toEqual([]);
  });
});

test("a store with rows is not overwritten, and a missing log is named", async () => {
  const file = await logOf((db) => db.transaction((tx) => task(tx, "a")));
  await withStore(async (db) => {
    await expect(rebuildFromLog(db, join(folder, "none"))).rejects.toMatchObject({
      code: "RALPH_STORE_MISSING",
    });
    await db.transaction((tx) => task(tx, "mine"));
    await expect(rebuildFromLog(db, file)).rejects.toThrow(/empty store/);
    expect(await ids(db)).toEqual(["mine"]);
  });
});
