import type { Migration } from "../migration.ts";

/** Notes (NOTE-1 to NOTE-5): equal contents are stored once; an iteration has a number within its named session. */
export const notesMigration: Migration = {
  version: 13,
  tables: `
CREATE TABLE IF NOT EXISTS note_contents (
    hash TEXT PRIMARY KEY,
    content TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS notes (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    type TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    run_id TEXT,
    iteration_id TEXT
);
CREATE TABLE IF NOT EXISTS note_iterations (
    iteration_id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    number INTEGER NOT NULL
);`,
  columns: {},
  indexes: `
CREATE INDEX IF NOT EXISTS idx_notes_session ON notes(session, iteration);
CREATE INDEX IF NOT EXISTS idx_notes_run ON notes(run_id);
CREATE INDEX IF NOT EXISTS idx_note_iterations_session ON note_iterations(session, number);`,
  data: "",
};
