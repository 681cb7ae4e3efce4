import type { SchemaPart } from "./schema-part.ts";

/** Runs, their iterations and commits, the state of the working tree, and the events of all of these. */
export const runsSchema: SchemaPart = {
  tables: `
CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    agent TEXT,
    model TEXT,
    strategy TEXT,
    session TEXT,
    branch TEXT,
    pid INTEGER,
    start_time TEXT,
    boot_id TEXT,
    host TEXT,
    stop_reason TEXT,
    exit_code INTEGER,
    iterations INTEGER NOT NULL DEFAULT 0,
    control TEXT,
    paused_at TEXT,
    place TEXT,
    heartbeat_at TEXT
);
CREATE TABLE IF NOT EXISTS iterations (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    attempt_number INTEGER NOT NULL,
    token INTEGER NOT NULL,
    model TEXT,
    rationale TEXT,
    marker TEXT NOT NULL,
    tmp_dir TEXT,
    head_before TEXT,
    head_after TEXT,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    end_kind TEXT,
    cost_usd REAL,
    prompt_seed TEXT
);
CREATE TABLE IF NOT EXISTS interruptions (
    id TEXT PRIMARY KEY,
    task_id TEXT REFERENCES tasks(id) ON DELETE CASCADE,
    run_id TEXT,
    agent TEXT,
    model TEXT,
    kind TEXT NOT NULL,
    message TEXT,
    started_at TEXT NOT NULL,
    duration_ms INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL,
    reset_at TEXT,
    wait_until TEXT,
    limited_model TEXT
);
CREATE TABLE IF NOT EXISTS pending_commits (
    iteration_id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    slot TEXT NOT NULL,
    base TEXT NOT NULL,
    paths TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at TEXT NOT NULL,
    commit_hash TEXT,
    finished_at TEXT
);
CREATE TABLE IF NOT EXISTS workspace_state (
    slot TEXT PRIMARY KEY,
    state TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS slots (
    slot TEXT PRIMARY KEY,
    branch TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS salvages (
    task_id TEXT PRIMARY KEY,
    ref TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS passed_trees (
    tree TEXT NOT NULL,
    commands TEXT NOT NULL,
    passed_at TEXT NOT NULL,
    PRIMARY KEY (tree, commands)
);
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    type TEXT NOT NULL,
    run_id TEXT,
    data TEXT NOT NULL
);`,
  indexes: `
CREATE INDEX IF NOT EXISTS idx_interruptions_task_id ON interruptions(task_id);
CREATE INDEX IF NOT EXISTS idx_interruptions_run_id ON interruptions(run_id);
CREATE INDEX IF NOT EXISTS idx_runs_started_at ON runs(started_at);
CREATE INDEX IF NOT EXISTS idx_iterations_run ON iterations(run_id, number);
CREATE INDEX IF NOT EXISTS idx_iterations_task ON iterations(task_id);
CREATE INDEX IF NOT EXISTS idx_iterations_open ON iterations(started_at) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS idx_pending_commits_open ON pending_commits(created_at) WHERE finished_at IS NULL;`,
};
