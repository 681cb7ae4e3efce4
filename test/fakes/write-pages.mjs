// An agent that writes into the file of ralph's store, past SQLite, so that no connection notices.
// Usage: node write-pages.mjs SQL TEXT: writes the leaf pages of tables that hold TEXT as the statement would leave them.
import { closeSync, copyFileSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";

const [sql, text] = process.argv.slice(2);
const store = ".ralph/progress.db";
const copy = `${process.env.TMPDIR}/pages.db`;
copyFileSync(store, copy);
const before = readFileSync(copy);
const database = new DatabaseSync(copy);
database.exec(sql);
database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
database.close();
const after = readFileSync(copy);
const size = 4096;
const leafOfTable = 13;
const file = openSync(store, "r+");
for (let at = size; at < before.length; at += size) {
  const page = after.subarray(at, at + size);
  if (page[0] !== leafOfTable || !page.includes(text) || page.equals(before.subarray(at, at + size)))
    continue;
  writeSync(file, page, 0, size, at);
}
closeSync(file);
for (const end of ["", "-wal", "-shm"]) rmSync(copy + end, { force: true });
