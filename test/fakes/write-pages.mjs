// An agent that writes into the files of ralph's store, past SQLite, so that no connection notices.
// Usage: node write-pages.mjs SQL TEXT: writes the leaf pages of tables that hold TEXT as the statement would leave them, where
// a connection reads them: in the write-ahead log if they are there, else in the store's file. Prints which for each page.
import { closeSync, copyFileSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";

const [sql, text] = process.argv.slice(2);
const store = ".ralph/progress.db";
const copy = `${process.env.TMPDIR}/pages.db`;
const size = 4096;
const leafOfTable = 13;
/** sqlite.org/fileformat2.html#walformat */
const [logHeader, frameHeader] = [32, 24];

copyFileSync(store, copy);
copyFileSync(`${store}-wal`, `${copy}-wal`);
const open = () => new DatabaseSync(copy);
const moved = (database) => {
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return readFileSync(copy);
};
const before = moved(open());
const changed = open();
changed.exec(sql);
const after = moved(changed);
for (const end of ["", "-wal", "-shm"]) rmSync(copy + end, { force: true });

const log = readFileSync(`${store}-wal`);
const salt = log.subarray(16, 24);
/** Where the last frame of a page begins. */
const frames = new Map();
for (let at = logHeader; at + frameHeader + size <= log.length; at += frameHeader + size) {
  if (log.subarray(at + 8, at + 16).equals(salt)) frames.set(log.readUInt32BE(at), at + frameHeader);
}
for (let at = size; at < before.length; at += size) {
  const page = after.subarray(at, at + size);
  if (page[0] !== leafOfTable || !page.includes(text) || page.equals(before.subarray(at, at + size)))
    continue;
  const inLog = frames.get(at / size + 1);
  const file = openSync(inLog === undefined ? store : `${store}-wal`, "r+");
  writeSync(file, page, 0, size, inLog ?? at);
  closeSync(file);
  process.stdout.write(inLog === undefined ? "the store\n" : "the write-ahead log\n");
}
