import type { Migration } from "../migration.ts";

/** Learnings with the DDL of their first design, their history, the prompts that showed them, and the archive. */
export const learningsMigration: Migration = {
  version: 8,
  tables: `
CREATE TABLE IF NOT EXISTS learnings (
    id TEXT PRIMARY KEY,
    task_id TEXT REFERENCES tasks(id) ON DELETE SET NULL,
    category TEXT NOT NULL,
    content TEXT NOT NULL,
    relevance_tags TEXT NOT NULL,
    created_at TEXT NOT NULL,
    pruned_at TEXT,
    superseded_by TEXT REFERENCES learnings(id) ON DELETE SET NULL
);
CREATE TABLE IF NOT EXISTS learning_signatures (
    learning_id TEXT NOT NULL REFERENCES learnings(id) ON DELETE CASCADE,
    signature TEXT NOT NULL,
    PRIMARY KEY (learning_id, signature)
);
CREATE TABLE IF NOT EXISTS learning_history (
    learning_id TEXT NOT NULL REFERENCES learnings(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    change TEXT NOT NULL,
    changed_by TEXT NOT NULL,
    run_id TEXT,
    detail TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (learning_id, number)
);
CREATE TABLE IF NOT EXISTS memory_injections (
    iteration_id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    rank INTEGER NOT NULL,
    held_out INTEGER NOT NULL DEFAULT 0,
    score REAL NOT NULL DEFAULT 0,
    verdict TEXT CHECK (verdict IN ('helpful','harmful')),
    PRIMARY KEY (iteration_id, memory_id)
);
CREATE TABLE IF NOT EXISTS memory_trials (
    iteration_id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    attempt_number INTEGER NOT NULL,
    model TEXT NOT NULL,
    held_out INTEGER NOT NULL,
    began_at TEXT NOT NULL,
    outcome TEXT,
    verification TEXT
);
CREATE TABLE IF NOT EXISTS memory_archive (
    source_table TEXT NOT NULL,
    source_key TEXT NOT NULL,
    task_id TEXT NOT NULL,
    attempt_number INTEGER NOT NULL DEFAULT 0,
    archived_at TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (source_table, source_key)
);
CREATE TABLE IF NOT EXISTS memory_rollups (
    day TEXT NOT NULL,
    model TEXT NOT NULL,
    difficulty TEXT NOT NULL,
    memory TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    done INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY (day, model, difficulty, memory)
);`,
  columns: {
    learnings: [
      "detail TEXT NOT NULL DEFAULT ''",
      "topic TEXT",
      "files TEXT NOT NULL DEFAULT '[]'",
      "scope TEXT NOT NULL DEFAULT 'project'",
      "status TEXT NOT NULL DEFAULT 'active'",
      "status_before TEXT",
      "pinned INTEGER NOT NULL DEFAULT 0",
      "content_hash TEXT NOT NULL DEFAULT ''",
      "citations TEXT NOT NULL DEFAULT '[]'",
      "derived_from TEXT NOT NULL DEFAULT '[]'",
      "fixes TEXT NOT NULL DEFAULT '[]'",
      "source TEXT NOT NULL DEFAULT 'agent'",
      "origin TEXT",
      "origin_task TEXT",
      "run_id TEXT",
      "iteration_id TEXT",
      "agent TEXT",
      "model TEXT",
      "updated_at TEXT",
      "validated_at TEXT",
      "last_used_at TEXT",
      "times_seen INTEGER NOT NULL DEFAULT 1",
      "times_shown INTEGER NOT NULL DEFAULT 0",
      "shown_passed INTEGER NOT NULL DEFAULT 0",
      "shown_failed INTEGER NOT NULL DEFAULT 0",
      "said_helpful INTEGER NOT NULL DEFAULT 0",
      "said_harmful INTEGER NOT NULL DEFAULT 0",
    ],
  },
  indexes: `
CREATE INDEX IF NOT EXISTS idx_learnings_task_id ON learnings(task_id);
CREATE INDEX IF NOT EXISTS idx_learnings_created_at ON learnings(created_at);
CREATE INDEX IF NOT EXISTS idx_learnings_pruned_at ON learnings(pruned_at);
CREATE INDEX IF NOT EXISTS idx_learnings_category ON learnings(category);
CREATE INDEX IF NOT EXISTS idx_learnings_status ON learnings(status, created_at);
CREATE INDEX IF NOT EXISTS idx_learnings_superseded_by ON learnings(superseded_by);
CREATE INDEX IF NOT EXISTS idx_learnings_content_hash ON learnings(content_hash);
CREATE INDEX IF NOT EXISTS idx_learnings_run_id ON learnings(run_id);
CREATE INDEX IF NOT EXISTS idx_learnings_cited ON learnings(status, validated_at) WHERE citations <> '[]';
CREATE INDEX IF NOT EXISTS idx_learning_signatures_signature ON learning_signatures(signature);
CREATE INDEX IF NOT EXISTS idx_learning_history_run ON learning_history(run_id);
CREATE INDEX IF NOT EXISTS idx_learning_history_change ON learning_history(change, at);
CREATE INDEX IF NOT EXISTS idx_memory_injections_memory ON memory_injections(memory_id);
CREATE INDEX IF NOT EXISTS idx_memory_trials_run ON memory_trials(run_id);
CREATE INDEX IF NOT EXISTS idx_memory_trials_task ON memory_trials(task_id);
CREATE INDEX IF NOT EXISTS idx_memory_archive_task ON memory_archive(task_id, source_table);`,
  data: "",
};
