import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Db, Reader, Tx } from "../../src/store/port/db.ts";
import type { StoreDriver } from "./store-driver.ts";
import { addTask } from "./store-rows.ts";
import { testDialect, testSql } from "./test-store-sql.ts";

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
      await expect(duplicate).rejects.toThrow("UNIQUE");
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

  test("a transaction used after its end is an error", async () => {
    const [db] = stores();
    const escaped = await db.transaction(async (tx) => ({ tx }));
    await expect(addTask(escaped.tx, "a")).rejects.toThrow("after its end");
    expect(await idsOf(db)).toEqual([]);
  });
}

function testKeys(stores: () => readonly [Db, Db]): void {
  test("rows inserted at the commit come in order, without those of a savepoint that throws", async () => {
    const [db] = stores();
    const add = (tx: Tx, type: number): void =>
      tx.insertAtCommit("events", { timestamp: "", type: `${type}`, data: "{}" });
    const count = "SELECT COUNT(*) AS n FROM events";
    await db.transaction(async (tx) => {
      for (let n = 0; n < 60; n += 1) add(tx, n);
      const undone = tx.savepoint(async () => {
        add(tx, -1);
        throw new Error("no");
      });
      await expect(undone).rejects.toThrow("no");
      await tx.savepoint(async () => add(tx, 60));
      expect(await tx.get(count)).toEqual({ n: 0 });
    });
    const stored = await db.all<{ type: string }>("SELECT type FROM events ORDER BY seq");
    expect(stored.map(({ type }) => Number(type))).toEqual(Array.from({ length: 61 }, (_, n) => n));
    const failing = db.transaction(async (tx) => {
      add(tx, 61);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await db.get(count)).toEqual({ n: 61 });
  });

  test("generated numbers rise and are not reused", async () => {
    const [db] = stores();
    const add = "INSERT INTO events (timestamp, type, data) VALUES ('', '', '{}') RETURNING seq";
    expect(await db.dialect.lastNumber("events")).toBe(0);
    await db.transaction(async (tx) => {
      expect(await tx.get(add)).toEqual({ seq: 1 });
      await tx.run("DELETE FROM events");
      expect(await tx.get(add)).toEqual({ seq: 2 });
    });
    expect(await db.dialect.lastNumber("events")).toBe(2);
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

  test("a later view shows what was committed since, also beside one that is still open", async () => {
    const [db, other] = stores();
    await (await db.view()).close();
    await other.transaction((tx) => addTask(tx, "first"));
    const early = await db.view();
    await db.transaction((tx) => addTask(tx, "second"));
    const late = await db.view();
    expect([await idsOf(early), await idsOf(late)]).toEqual([["first"], ["first", "second"]]);
    await late.close();
    await early.close();
    const last = await db.view();
    expect(await idsOf(last)).toEqual(["first", "second"]);
    await last.close();
  });

  test("a store in its file is whole, and nothing of it was lost", async () => {
    const [db] = stores();
    expect(await db.file?.rescue()).toBe(false);
    expect(await db.file?.findDamage()).toBeUndefined();
  });
}
