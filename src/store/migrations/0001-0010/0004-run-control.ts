import type { Migration } from "../migration.ts";

/** Requests of a person to a run from another terminal: stop, pause, and messages for the next prompt. */
export const runControlMigration: Migration = {
  version: 4,
  tables: `
CREATE TABLE IF NOT EXISTS messages (
    id TEXT PRIMARY KEY,
    task_id TEXT REFERENCES tasks(id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL,
    iteration_id TEXT,
    told_task_id TEXT,
    told_at TEXT
);`,
  columns: { runs: ["wish TEXT", "paused_at TEXT"] },
  indexes: `
CREATE INDEX IF NOT EXISTS idx_messages_waiting ON messages(created_at, id) WHERE iteration_id IS NULL;
CREATE INDEX IF NOT EXISTS idx_messages_iteration ON messages(iteration_id);`,
  data: "",
};
