import type { SchemaPart } from "./schema-part.ts";

/** Learnings with their history, and the record of each attempt with its lists (LEARN-3). */
export const learningsSchema: SchemaPart = {
  tables: `
CREATE TABLE IF NOT EXISTS learnings (
    id TEXT PRIMARY KEY,
    task_id TEXT REFERENCES tasks(id) ON DELETE SET NULL,
    category TEXT NOT NULL,
    content TEXT NOT NULL,
    relevance_tags TEXT NOT NULL,
    created_at TEXT NOT NULL,
    pruned_at TEXT,
    superseded_by TEXT REFERENCES learnings(id) ON DELETE SET NULL,
    detail TEXT NOT NULL DEFAULT '',
    topic TEXT,
    files TEXT NOT NULL DEFAULT '[]',
    scope TEXT NOT NULL DEFAULT 'project',
    status TEXT NOT NULL DEFAULT 'active',
    status_before TEXT,
    pinned INTEGER NOT NULL DEFAULT 0,
    content_hash TEXT NOT NULL DEFAULT '',
    citations TEXT NOT NULL DEFAULT '[]',
    derived_from TEXT NOT NULL DEFAULT '[]',
    fixes TEXT NOT NULL DEFAULT '[]',
    source TEXT NOT NULL DEFAULT 'agent',
    origin TEXT,
    origin_task TEXT,
    run_id TEXT,
    iteration_id TEXT,
    agent TEXT,
    model TEXT,
    updated_at TEXT,
    validated_at TEXT,
    last_used_at TEXT,
    times_seen INTEGER NOT NULL DEFAULT 1,
    times_shown INTEGER NOT NULL DEFAULT 0,
    shown_passed INTEGER NOT NULL DEFAULT 0,
    shown_failed INTEGER NOT NULL DEFAULT 0,
    said_helpful INTEGER NOT NULL DEFAULT 0,
    said_harmful INTEGER NOT NULL DEFAULT 0,
    proven_at TEXT,
    tasks_passed INTEGER NOT NULL DEFAULT 0,
    tasks_failed INTEGER NOT NULL DEFAULT 0,
    applies_when TEXT NOT NULL DEFAULT ''
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
    applies_when TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (record_id, number)
);`,
  indexes: `
CREATE INDEX IF NOT EXISTS idx_learnings_task_id ON learnings(task_id);
CREATE INDEX IF NOT EXISTS idx_learnings_created_at ON learnings(created_at);
CREATE INDEX IF NOT EXISTS idx_learnings_category ON learnings(category);
CREATE INDEX IF NOT EXISTS idx_learnings_status ON learnings(status, created_at);
CREATE INDEX IF NOT EXISTS idx_learnings_content_hash ON learnings(content_hash);
CREATE INDEX IF NOT EXISTS idx_learnings_run_id ON learnings(run_id);
CREATE INDEX IF NOT EXISTS idx_learnings_cited ON learnings(status, validated_at) WHERE citations <> '[]';
CREATE INDEX IF NOT EXISTS idx_learning_signatures_signature ON learning_signatures(signature);
CREATE INDEX IF NOT EXISTS idx_learning_history_run ON learning_history(run_id);
CREATE INDEX IF NOT EXISTS idx_learnings_pruned_at ON learnings(pruned_at) WHERE pruned_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_learnings_superseded_by ON learnings(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_learning_history_change ON learning_history(change, at) WHERE change = 'merged';
CREATE INDEX IF NOT EXISTS idx_learning_records_file ON learning_records(lower(file_name));
CREATE INDEX IF NOT EXISTS idx_learning_records_run ON learning_records(run_id);
CREATE INDEX IF NOT EXISTS idx_learning_records_iteration ON learning_records(iteration_id);
CREATE INDEX IF NOT EXISTS idx_learning_records_time ON learning_records(recorded_at);
CREATE INDEX IF NOT EXISTS idx_learning_record_entries_learning ON learning_record_entries(learning_id);
CREATE INDEX IF NOT EXISTS learnings_helpful ON learnings (status, created_at, id) WHERE said_helpful >= 2;`,
};
