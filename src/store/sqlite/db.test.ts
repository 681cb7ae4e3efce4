import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Db } from "../port/db.ts";
import { openConnection, useWriteAheadLog } from "./connection.ts";
import { createSqliteDb } from "./db.ts";
import { isSafeToWrite } from "./load-driver.ts";

let folder: string;
let db: Db;

async function open(path: string): Promise<Db> {
  const connection = await openConnection(path, { readOnly: false });
  await useWriteAheadLog(connection);
  return createSqliteDb(connection);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ralph-sqlite-"));
  db = await open(join(folder, "a.db"));
  await db.transaction((tx) => tx.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)"));
});

afterEach(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const insert = "INSERT INTO notes (text) VALUES (?)";
const texts = async (): Promise<unknown[]> =>
  (await db.all("SELECT text FROM notes ORDER BY id")).map((row) => row["text"]);
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

test("the driver is recent enough and the pragmas hold", async () => {
  const built = await db.get<{ version: string }>("SELECT sqlite_version() AS version");
  expect(isSafeToWrite(`${built?.version}`)).toBe(true);
  expect(await db.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
  expect(await db.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
  expect(await db.get("PRAGMA foreign_keys")).toEqual({ foreign_keys: 1 });
  expect(await db.get("SELECT sqlite_compileoption_used('ENABLE_FTS5') AS fts5")).toEqual({ fts5: 1 });
});

test("SQLite is safe to write from 3.51.3 on", () => {
  expect(["3.51.2", "3.9.9", "3.51.3", "3.53.0", "4.0.0"].map(isSafeToWrite)).toEqual([
    ...[false, false, true, true, true],
  ]);
});

test("a transaction can skip the wait for the disk, and the next one waits again", async () => {
  const level = async (durable: boolean): Promise<unknown> =>
    db.transaction((tx) => tx.get("PRAGMA synchronous"), { durable });
  expect(await level(false)).toEqual({ synchronous: 1 });
  expect(await level(true)).toEqual({ synchronous: 2 });
  await expect(db.transaction(() => Promise.reject(new Error("no")), { durable: false })).rejects.toThrow(
    "no",
  );
  expect(await level(true)).toEqual({ synchronous: 2 });
});

test("transactions with async work inside do not mix, and reads wait for them", async () => {
  const seen: string[] = [];
  const write = (name: string): Promise<void> =>
    db.transaction(async (tx) => {
      for (const part of [1, 2, 3]) {
        await tx.run(insert, [`${name}${part}`]);
        seen.push(`${name}${part}`);
        await later();
      }
    });
  const [, , count] = await Promise.all([
    write("a"),
    write("b"),
    db.get<{ n: number }>("SELECT count(*) AS n FROM notes"),
    write("c"),
  ]);
  expect(count?.n).toBe(6);
  expect(seen).toEqual(["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]);
});

test("using the Db inside its own transaction is an error, not a deadlock", async () => {
  const other = createSqliteDb(await openConnection(join(folder, "a.db"), { readOnly: false }), {
    queuedMs: 50,
  });
  const late = /waited too long for a transaction: was it used inside its own/;
  await expect(other.transaction(() => other.transaction(async () => 1))).rejects.toThrow(late);
  const reading = other.transaction(async (tx) => {
    await tx.run(insert, ["lost"]);
    await later();
    await other.get("SELECT 1");
  });
  await expect(reading).rejects.toThrow(late);
  await other.close();
  expect(await texts()).toEqual([]);
});

test("what waited too long for a transaction does not run while it goes on", async () => {
  const other = createSqliteDb(await openConnection(join(folder, "a.db"), { readOnly: false }), {
    queuedMs: 20,
  });
  const order: string[] = [];
  let late: Promise<unknown> = Promise.resolve();
  const slow = other.transaction(async () => {
    late = other.transaction(async () => order.push("late")).catch(() => order.push("refused"));
    await new Promise((resolve) => setTimeout(resolve, 60));
    order.push("slow");
  });
  await slow;
  await late;
  await other.transaction(async () => order.push("next"));
  await other.close();
  expect(order).toEqual(["refused", "slow", "next"]);
});

test("work started in a transaction may use the Db after its end", async () => {
  let afterwards: Promise<unknown> | undefined;
  await db.transaction(async () => {
    afterwards = later()
      .then(later)
      .then(later)
      .then(() => db.get("SELECT 1 AS one"));
  });
  expect(await afterwards).toEqual({ one: 1 });
});

test("two stores may be written inside each other", async () => {
  const other = await open(join(folder, "b.db"));
  await db.transaction(async (tx) => {
    await tx.run(insert, ["a"]);
    await other.transaction((inner) => inner.run("CREATE TABLE t (a)"));
  });
  await other.close();
  expect(await texts()).toEqual(["a"]);
});

test("savepoints that overlap end the transaction instead of mixing", async () => {
  const overlapping = db.transaction(async (tx) => {
    const slow = tx.savepoint(async () => {
      await later();
      await tx.run(insert, ["slow"]);
    });
    const slower = tx.savepoint(async () => {
      await later();
      await later();
      await tx.run(insert, ["slower"]);
    });
    await Promise.allSettled([slow, slower]);
  });
  await expect(overlapping).rejects.toThrow(/overlap/);
  expect(await texts()).toEqual([]);
});

test("TRUST-8: on a full disk the transaction is undone completely, even if it continues", async () => {
  await db.transaction((tx) => tx.run(insert, ["kept"]));
  const pages = (await db.get<{ page_count: number }>("PRAGMA page_count"))?.page_count ?? 0;
  await db.get(`PRAGMA max_page_count = ${pages}`);
  const filling = db.transaction(async (tx) => {
    await tx.run(insert, ["lost"]);
    await tx.run(insert, ["x".repeat(1e6)]).catch(() => 0);
    await tx.run(insert, ["would commit alone"]);
  });
  await expect(filling).rejects.toMatchObject({
    code: "RALPH_STORE_FULL",
    hint: expect.stringMatching(/space/),
  });
  expect(await texts()).toEqual(["kept"]);
});

test("TRUST-8: waiting for another process's lock does not block, and ends with an error that names the store", async () => {
  const path = join(folder, "a.db");
  const holder = await openConnection(path, { readOnly: false });
  const impatient = createSqliteDb(await openConnection(path, { readOnly: false }), { waitMs: 100 });
  holder.exec("BEGIN IMMEDIATE");
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await expect(impatient.transaction((tx) => tx.run(insert, ["a"]))).rejects.toMatchObject({
    code: "RALPH_STORE_LOCKED",
    message: expect.stringContaining(path),
    hint: expect.any(String),
  });
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(2);
  expect(await texts()).toEqual([]);
  const patient = db.transaction((tx) => tx.run(insert, ["b"]));
  await later();
  holder.exec("COMMIT");
  await patient;
  holder.close();
  await impatient.transaction((tx) => tx.run(insert, ["c"]));
  await impatient.close();
  expect(await texts()).toEqual(["b", "c"]);
});

test("TRUST-8: a read waits for another process's lock without blocking", async () => {
  const path = join(folder, "rollback.db");
  const holder = await openConnection(path, { readOnly: false });
  holder.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('a')");
  const reader = createSqliteDb(await openConnection(path, { readOnly: false }));
  holder.exec("BEGIN EXCLUSIVE");
  const read = reader.get("SELECT text FROM notes");
  await later();
  holder.exec("COMMIT");
  expect(await read).toEqual({ text: "a" });
  holder.close();
  await reader.close();
});

test("a store closes once, after earlier work, and later use is an error", async () => {
  const work = db.transaction((tx) => tx.run(insert, ["a"]));
  await Promise.all([work, db.close(), db.close()]);
  await expect(db.get("SELECT 1")).rejects.toThrow(/after it was closed/);
  db = await open(join(folder, "a.db"));
  expect(await texts()).toEqual(["a"]);
});

test("more statements than the cache holds work", async () => {
  for (let n = 0; n < 600; n += 1) expect(await db.get(`SELECT ${n} AS n`)).toEqual({ n });
  expect(await db.get("SELECT 0 AS n")).toEqual({ n: 0 });
});

test("TRUST-8: after the file was removed and rescued, a view shows the new file", async () => {
  await (await db.view()).close();
  const open = await db.view();
  await rm(db.location);
  expect(await db.file?.rescue()).toBe(true);
  await open.close();
  await db.transaction((tx) => tx.run(insert, ["written after"]));
  const view = await db.view();
  expect(await view.all("SELECT text FROM notes")).toEqual([{ text: "written after" }]);
  await view.close();
});

test("TRUST-12: timers and signals have their turn during a transaction of many statements, which keep their order", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  await db.transaction(async (tx) => {
    const until = performance.now() + 500;
    for (let n = 0; performance.now() < until; n += 2)
      await Promise.all([tx.run(insert, [`${n}`]), tx.run(insert, [`${n + 1}`])]);
  });
  clearInterval(timer);
  expect(turns).toBeGreaterThanOrEqual(2);
  expect(await texts()).toEqual(Array.from(await texts(), (_, n) => `${n}`));
});

test("TRUST-12: a statement that waits for its turn is not part of a savepoint that begins after it", async () => {
  await db.transaction(async (tx) => {
    await tx.run(insert, ["0"]);
    const until = performance.now() + 150;
    while (performance.now() < until);
    const first = tx.run(insert, ["1"]);
    const undone = tx.savepoint(async () => {
      await tx.run(insert, ["2"]);
      throw new Error("undone");
    });
    await Promise.allSettled([first, undone]);
  });
  expect(await texts()).toEqual(["0", "1"]);
});
