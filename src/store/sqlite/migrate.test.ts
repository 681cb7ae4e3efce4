import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { firstMemoryTables } from "../../../test/first-memory-tables.ts";
import { backupsIn } from "../backups.ts";
import { openStore } from "../open-store.ts";
import type { Db, Reader } from "../port/db.ts";
import { openConnection } from "./connection.ts";
import { schemaVersion } from "./schema-version.ts";

let folder: string;
let path: string;
let backups: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ralph-migrate-"));
  path = join(folder, "progress.db");
  backups = join(folder, "backups");
});

afterEach(() => rm(folder, { recursive: true }));

async function build(sql: string, file = path): Promise<void> {
  await writeFile(file, "");
  const connection = await openConnection(file, { readOnly: false });
  connection.exec(sql);
  connection.close();
}

const schema1 = `
  CREATE TABLE tasks (id TEXT PRIMARY KEY, parent_id TEXT, title TEXT NOT NULL, description TEXT,
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending','in_progress','done','blocked','failed')),
    priority INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, claimed_by TEXT,
    FOREIGN KEY (parent_id) REFERENCES tasks(id) ON DELETE CASCADE);
  CREATE TABLE dependencies (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id),
    FOREIGN KEY (blocker_id) REFERENCES tasks(id), FOREIGN KEY (blocked_id) REFERENCES tasks(id));
  CREATE TABLE task_logs (id INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, message TEXT NOT NULL,
    timestamp TEXT NOT NULL, FOREIGN KEY (task_id) REFERENCES tasks(id));
  CREATE INDEX idx_tasks_status ON tasks(status);
  PRAGMA user_version = 1;`;

const rows = `
  INSERT INTO tasks VALUES ('t-000001', NULL, 'It''s "quoted"; DROP TABLE tasks; --', NULL, 'done', 1,
    '2025-11-02 10:00:00', '1762077600', NULL);
  INSERT INTO tasks VALUES ('t-000002', 't-000001', '🦜 émoji \\ ../../etc', 'multi
line <b>markup</b>', 'pending', 0, '2025-11-02T10:00:00+02:00', '2025-11-02T10:00:00Z', 'worker-1');
  INSERT INTO dependencies VALUES ('t-000001', 't-000002');
  INSERT INTO task_logs VALUES (7, 't-000001', 'said "done" 🎉', '2025-11-02 11:00:00');`;

const firstColumns = "id, parent_id, title, status, priority, created_at, updated_at, claimed_by";

async function content(db: Pick<Reader, "all">): Promise<unknown> {
  return {
    tasks: await db.all(
      `SELECT ${firstColumns}, coalesce(description, '') AS description FROM tasks ORDER BY id`,
    ),
    dependencies: await db.all("SELECT * FROM dependencies"),
    logs: await db.all("SELECT id, task_id, message, timestamp FROM task_logs"),
  };
}

async function rawContent(file: string): Promise<unknown> {
  const connection = await openConnection(file, { readOnly: true });
  const read = { all: async <T>(sql: string) => connection.all<T>(sql) };
  const result = await content(read);
  connection.close();
  return result;
}

const shape = async (db: Db): Promise<unknown> =>
  db.all("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name");

test("TASK-6: a database of schema 1 migrates with all its rows, after a private backup", async () => {
  await build(schema1 + rows);
  const before = await rawContent(path);
  const db = await openStore({ path, backups, now: () => new Date("2026-02-03T04:05:06.789Z") });
  expect(await content(db)).toEqual(before);
  expect(await db.get("PRAGMA user_version")).toEqual({ user_version: schemaVersion });
  expect(await db.get("SELECT tags, fence, source_path FROM tasks LIMIT 1")).toEqual({
    tags: "[]",
    fence: 0,
    source_path: null,
  });
  expect(await db.all("PRAGMA foreign_key_check")).toEqual([]);
  await db.close();

  const [backup] = backupsIn(backups);
  expect(backup?.at).toBe("2026-02-03T04:05:06.789Z");
  expect((await stat(backup?.path ?? "")).mode & 0o777).toBe(0o600);
  expect((await stat(backups)).mode & 0o777).toBe(0o700);
  expect(await rawContent(backup?.path ?? "")).toEqual(before);
});

test("TASK-6: a migrated database has the columns and the indexes of a new one", async () => {
  await build(schema1 + rows);
  const migrated = await openStore({ path });
  const made = await openStore({ path: join(folder, "new.db") });
  const columns = `SELECT t.name AS "table", c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
    WHERE t.schema = 'main' ORDER BY 1, 2`;
  expect(await migrated.all(columns)).toEqual(await made.all(columns));
  const indexes =
    "SELECT name FROM sqlite_schema WHERE type = 'index' AND name <> 'idx_tasks_status' ORDER BY name";
  expect(await migrated.all(indexes)).toEqual(await made.all(indexes));
  await migrated.close();
  await made.close();
});

test("TASK-6: a database of an unreleased version is refused", async () => {
  await openStore({ path }).then((db) => db.close());
  const connection = await openConnection(path, { readOnly: false });
  connection.exec("PRAGMA user_version = 27");
  connection.close();
  await expect(openStore({ path })).rejects.toMatchObject({ code: "RALPH_STORE_FOREIGN" });
});

test("TASK-6: a second opening changes nothing and makes no backup", async () => {
  await build(schema1 + rows);
  await openStore({ path, backups }).then((db) => db.close());
  const first = await openStore({ path, backups });
  const expected = await shape(first);
  await first.close();
  const second = await openStore({ path, backups });
  expect(await shape(second)).toEqual(expected);
  await second.close();
  expect(backupsIn(backups)).toHaveLength(1);
});

test("TASK-6: a database of schema 1 without rows is migrated without a backup", async () => {
  await build(schema1);
  await openStore({ path, backups }).then((db) => db.close());
  expect(await readdir(folder)).not.toContain("backups");
});

test("TASK-6: opening read-only migrates too", async () => {
  await build(schema1 + rows);
  const db = await openStore({ path, readOnly: true });
  expect(await db.get("SELECT count(*) AS n FROM events")).toEqual({ n: 0 });
  await expect(db.transaction((tx) => tx.run("DELETE FROM tasks"))).rejects.toMatchObject({
    code: "RALPH_STORE_READ_ONLY",
  });
  await db.close();
});

test("TASK-6: tables of schema 1 without types or keys get the keys that foreign keys need", async () => {
  await build(`
    CREATE TABLE tasks(id,parent_id,title,description,status,priority,created_at,updated_at,claimed_by);
    CREATE TABLE dependencies(blocker_id,blocked_id);
    CREATE TABLE task_logs(id,task_id,message,timestamp);
    PRAGMA user_version = 1;
    INSERT INTO tasks VALUES ('a',NULL,'A',NULL,'done',NULL,1762077600,1762077600,NULL),
      ('b','a','B','','pending',3,'x','y',NULL);
    INSERT INTO dependencies VALUES ('a','b'), ('a','b');
    INSERT INTO task_logs VALUES (NULL,'a','one','t1'), ('z','b','two','t2');`);
  const db = await openStore({ path });
  expect(await db.all("SELECT id, description, priority, created_at FROM tasks ORDER BY id")).toEqual([
    { id: "a", description: "", priority: 2, created_at: 1762077600 },
    { id: "b", description: "", priority: 3, created_at: "x" },
  ]);
  expect(await db.all("SELECT * FROM dependencies")).toEqual([{ blocker_id: "a", blocked_id: "b" }]);
  await db.transaction(async (tx) => {
    await tx.run("INSERT INTO strategy_metrics (task_id) VALUES ('a')");
    await tx.run("INSERT INTO task_logs (task_id, message, timestamp) VALUES ('a', 'three', 't3')");
    await expect(tx.run("INSERT INTO strategy_metrics (task_id) VALUES ('nobody')")).rejects.toThrow(
      /FOREIGN KEY/,
    );
  });
  expect(await db.all("SELECT id, message FROM task_logs ORDER BY id")).toEqual([
    { id: 1, message: "one" },
    { id: 2, message: "two" },
    { id: 3, message: "three" },
  ]);
  await db.close();
});

test("TASK-6: schemas 1 and 2 of another ralph are recognized by their tables and migrated", async () => {
  await build(`${schema1.replace("user_version = 1", "user_version = 0")}${rows}`);
  await openStore({ path }).then((db) => db.close());
  const two = join(folder, "two.db");
  await build(`${schema1.replace("user_version = 1", "user_version = 2")}${rows}${firstMemoryTables}`, two);
  const db = await openStore({ path: two });
  expect(await db.get("SELECT count(*) AS n FROM tasks")).toEqual({ n: 2 });
  expect(await db.all("SELECT cost_usd, agent FROM iteration_outcomes")).toEqual([]);
  expect(await db.all("SELECT * FROM claims")).toEqual([]);
  await db.close();
});

test("TASK-6 LEARN-12: the tasks of each learning are counted from the prompts that showed it", async () => {
  const old = await openStore({ path });
  const trial = (task: string, number: number, end: string): string =>
    `INSERT INTO memory_trials (iteration_id, run_id, task_id, attempt_number, model, held_out, began_at, outcome, verification)
     VALUES ('${task}${number}', 'r', '${task}', ${number}, 'm', 0, 'x', ${end});
     INSERT INTO memory_injections (iteration_id, memory_id, rank, score) VALUES ('${task}${number}', 'l-1', 1, 1);`;
  await old.close();
  const connection = await openConnection(path, { readOnly: false });
  connection.exec(`ALTER TABLE learnings DROP COLUMN tasks_passed; ALTER TABLE learnings DROP COLUMN tasks_failed;
    INSERT INTO learnings (id, category, content, relevance_tags, created_at, times_shown)
    VALUES ('l-1', 'pitfall', 'x', '[]', 'x', 5); PRAGMA user_version = 100;
    ${trial("a", 1, "'failed', 'failed'")} ${trial("a", 2, "'done', 'passed'")} ${trial("b", 1, "'failed', 'failed'")}
    ${trial("c", 1, "'failed', 'no_change'")} ${trial("d", 1, "NULL, NULL")}`);
  connection.close();
  const db = await openStore({ path });
  expect(await db.get("SELECT tasks_passed AS passed, tasks_failed AS failed FROM learnings")).toEqual({
    passed: 1,
    failed: 2,
  });
  await db.close();
});

test("TASK-6: a failing migration leaves the old database unchanged", async () => {
  await build(`${schema1}${rows}CREATE TABLE iterations (odd TEXT); INSERT INTO iterations VALUES (1);`);
  const before = await rawContent(path);
  await expect(openStore({ path })).rejects.toThrow();
  const connection = await openConnection(path, { readOnly: true });
  expect(connection.get("PRAGMA user_version")).toEqual({ user_version: 1 });
  expect(connection.all("SELECT name FROM sqlite_schema WHERE name IN ('events', 'claims')")).toEqual([]);
  connection.close();
  expect(await rawContent(path)).toEqual(before);
});
