import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Connection, openConnection, useWriteAheadLog } from "../connection.ts";
import { markWal } from "./wal-mark.ts";

let folder: string;
let connection: Connection;
let wal: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ralph-wal-"));
  const path = join(folder, "store.db");
  wal = `${path}-wal`;
  connection = await openConnection(path, { readOnly: false });
  await useWriteAheadLog(connection);
  connection.exec("CREATE TABLE words (word TEXT)");
});
afterEach(() => {
  connection.close();
  rmSync(folder, { recursive: true });
});

const add = (word: string): void => void connection.run("INSERT INTO words VALUES (?)", [word]);

/** Writes into the file, past SQLite. */
function overwrite(at: number, text: string): void {
  const file = openSync(wal, "r+");
  writeSync(file, text, at);
  closeSync(file);
}

test("LOOP-18: a change of what is committed in the write-ahead log is noticed, in old commits and in new ones", () => {
  add("early");
  const mark = markWal(wal);
  add("late");
  mark.follow();
  expect(mark.isIntact()).toBe(true);
  for (const word of ["early", "late"]) {
    const at = readFileSync(wal).lastIndexOf(word);
    overwrite(at, word.toUpperCase());
    expect(mark.isIntact()).toBe(false);
    overwrite(at, word);
    expect(mark.isIntact()).toBe(true);
  }
});

test("LOOP-18: commits of others, an abandoned transaction and a log that begins at its start count as unchanged", () => {
  const mark = markWal(wal);
  add("of another");
  expect(mark.isIntact()).toBe(true);
  mark.follow();
  // Large enough to be written before its end.
  connection.exec("PRAGMA cache_size = 5");
  connection.exec("BEGIN");
  for (let n = 0; n < 100; n++) add("x".repeat(4000));
  connection.exec("ROLLBACK");
  mark.follow();
  add("after it");
  mark.follow();
  expect(mark.isIntact()).toBe(true);
  const { size } = statSync(wal);
  connection.exec("PRAGMA wal_checkpoint(RESTART)");
  add("in the new one");
  expect(statSync(wal).size).toBe(size);
  mark.follow();
  expect(mark.isIntact()).toBe(true);
  const at = readFileSync(wal).lastIndexOf("in the new one");
  overwrite(at, "IN");
  expect(mark.isIntact()).toBe(false);
});

test("LOOP-18: a log that was cut or removed is changed, and one that was never there is not", () => {
  expect(markWal(join(folder, "none")).isIntact()).toBe(true);
  add("one");
  const mark = markWal(wal);
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(mark.isIntact()).toBe(false);
});
