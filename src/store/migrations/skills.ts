import type { SchemaPart } from "./schema-part.ts";

/** Skills (SKILL-1 to SKILL-5), and what a project has of the memory that projects share. */
export const skillsSchema: SchemaPart = {
  tables: `
CREATE TABLE IF NOT EXISTS skill_topics (
    category TEXT PRIMARY KEY,
    slug TEXT NOT NULL,
    evidence_hash TEXT NOT NULL,
    entries INTEGER NOT NULL DEFAULT 0,
    patterns INTEGER NOT NULL DEFAULT 0,
    updated_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS skills (
    name TEXT PRIMARY KEY,
    category TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active','retired')),
    description TEXT NOT NULL,
    body TEXT NOT NULL,
    tags TEXT NOT NULL DEFAULT '[]',
    files TEXT NOT NULL DEFAULT '[]',
    source TEXT NOT NULL DEFAULT '{}',
    evidence_hash TEXT NOT NULL DEFAULT '',
    accepted_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    retired_at TEXT,
    reason TEXT
);
CREATE TABLE IF NOT EXISTS skill_proposals (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('create','change','retire')),
    description TEXT NOT NULL,
    body TEXT NOT NULL,
    tags TEXT NOT NULL DEFAULT '[]',
    files TEXT NOT NULL DEFAULT '[]',
    source TEXT NOT NULL DEFAULT '{}',
    evidence_hash TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL CHECK (status IN ('pending','accepted','rejected','superseded')),
    run_id TEXT,
    created_at TEXT NOT NULL,
    decided_at TEXT
);
CREATE TABLE IF NOT EXISTS skill_uses (
    name TEXT NOT NULL,
    iteration_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    shown TEXT NOT NULL CHECK (shown IN ('name','body','withheld')),
    loaded INTEGER NOT NULL DEFAULT 0,
    verified INTEGER,
    tokens INTEGER,
    created_at TEXT NOT NULL,
    PRIMARY KEY (name, iteration_id)
);
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
    decided_at TEXT NOT NULL,
    content_hash TEXT
);`,
  indexes: `
CREATE INDEX IF NOT EXISTS idx_skill_proposals_name ON skill_proposals(name, status);
CREATE INDEX IF NOT EXISTS idx_skill_proposals_run ON skill_proposals(run_id);
CREATE INDEX IF NOT EXISTS idx_skill_uses_iteration ON skill_uses(iteration_id);
CREATE INDEX IF NOT EXISTS idx_skill_uses_run ON skill_uses(run_id);
CREATE INDEX IF NOT EXISTS idx_hivemind_entries_state ON hivemind_entries(state) WHERE state IN ('pending','leaving');
CREATE INDEX IF NOT EXISTS idx_hivemind_entries_source ON hivemind_entries(source);
CREATE INDEX IF NOT EXISTS idx_hivemind_entries_run ON hivemind_entries(run_id);
CREATE INDEX IF NOT EXISTS idx_hivemind_uses_iteration ON hivemind_uses(iteration_id);
CREATE INDEX IF NOT EXISTS idx_hivemind_uses_run ON hivemind_uses(run_id);`,
};
