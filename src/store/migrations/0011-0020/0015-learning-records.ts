import type { Migration } from "../migration.ts";

/** One record of each judged attempt and of each imported record file, with its lists (LEARN-3). */
export const learningRecordsMigration: Migration = {
  version: 15,
  tables: `
CREATE TABLE IF NOT EXISTS learning_records (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    attempt_number INTEGER,
    run_id TEXT,
    iteration_id TEXT,
    recorded_at TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('success','failure','partial')),
    verified INTEGER NOT NULL DEFAULT 0,
    tokens_used INTEGER,
    duration_seconds INTEGER,
    error TEXT,
    tags TEXT NOT NULL DEFAULT '[]',
    files TEXT NOT NULL DEFAULT '[]',
    file_name TEXT NOT NULL,
    origin TEXT,
    approved INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE IF NOT EXISTS learning_record_entries (
    record_id TEXT NOT NULL REFERENCES learning_records(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    list TEXT NOT NULL CHECK (list IN ('successes','failures','discoveries','missing_context','wished_for_skills')),
    content TEXT NOT NULL,
    category TEXT NOT NULL DEFAULT '',
    supplement TEXT NOT NULL DEFAULT '',
    reusable INTEGER NOT NULL DEFAULT 0,
    stated_in TEXT NOT NULL,
    learning_id TEXT,
    PRIMARY KEY (record_id, number)
);`,
  columns: {},
  indexes: `
CREATE INDEX IF NOT EXISTS idx_learning_records_file ON learning_records(lower(file_name));
CREATE INDEX IF NOT EXISTS idx_learning_records_run ON learning_records(run_id);
CREATE INDEX IF NOT EXISTS idx_learning_records_iteration ON learning_records(iteration_id);
CREATE INDEX IF NOT EXISTS idx_learning_records_time ON learning_records(recorded_at);
CREATE INDEX IF NOT EXISTS idx_learning_record_entries_learning ON learning_record_entries(learning_id);`,
  data: "",
};
