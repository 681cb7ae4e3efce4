// Reads the rows of a task list by plain SQL: what `ralph task list` cannot be faster than.
import { createRequire } from "node:module";

const builtIn = process.getBuiltinModule("node:sqlite");
const { DatabaseSync } = builtIn ?? createRequire(import.meta.url)("@photostructure/sqlite");
const db = new DatabaseSync(".ralph/progress.db", { readOnly: true });
const rows = db.prepare(
  "SELECT id, parent_id, title, status, priority FROM tasks ORDER BY priority, created_at, position, id",
);
console.log(rows.all().length);
