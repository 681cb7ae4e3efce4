import type { Migration } from "../migration.ts";

/**
 * The rows of a project about the memory that projects share: its own records there and those that wait, the records of
 * other projects that its prompts showed with their outcomes, and the decisions on them.
 */
export const hivemindEntriesMigration: Migration = {
  version: 17,
  tables: `
CREATE TABLE IF NOT EXISTS hivemind_entries (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    run_id TEXT,
    task_id TEXT,
    state TEXT NOT NULL CHECK (state IN ('pending','sent','leaving','local')),
    entry TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS hivemind_uses (
    memory_id TEXT NOT NULL,
    iteration_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    held_out INTEGER NOT NULL,
    outcome TEXT,
    verification TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (memory_id, iteration_id)
);
CREATE TABLE IF NOT EXISTS hivemind_decisions (
    memory_id TEXT PRIMARY KEY,
    decision TEXT NOT NULL CHECK (decision IN ('approved','confirmed','rejected')),
    run_id TEXT,
    decided_at TEXT NOT NULL
);`,
  columns: {},
  indexes: `
CREATE INDEX IF NOT EXISTS idx_hivemind_entries_state ON hivemind_entries(state) WHERE state IN ('pending','leaving');
CREATE INDEX IF NOT EXISTS idx_hivemind_entries_source ON hivemind_entries(source);
CREATE INDEX IF NOT EXISTS idx_hivemind_entries_run ON hivemind_entries(run_id);
CREATE INDEX IF NOT EXISTS idx_hivemind_uses_iteration ON hivemind_uses(iteration_id);
CREATE INDEX IF NOT EXISTS idx_hivemind_uses_run ON hivemind_uses(run_id);`,
  data: "",
};
