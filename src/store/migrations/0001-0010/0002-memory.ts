import type { Migration } from "../migration.ts";

/** The memory tables with the DDL of their first design, new columns of tasks, and the state of runs, claims and commits. */
export const memoryMigration: Migration = {
  version: 2,
  tables: `
CREATE TABLE IF NOT EXISTS iteration_outcomes (
    task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
    attempt_number INTEGER NOT NULL,
    model TEXT NOT NULL,
    started_at TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    tokens_input INTEGER,
    tokens_output INTEGER,
    outcome TEXT NOT NULL
        CHECK (outcome IN ('done','failed','no_sigil','error')),
    error_type TEXT,
    PRIMARY KEY (task_id, attempt_number)
);
CREATE TABLE IF NOT EXISTS failure_reports (
    task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
    attempt_number INTEGER NOT NULL,
    what_was_tried TEXT NOT NULL,
    why_it_failed TEXT NOT NULL,
    error_category TEXT,
    relevant_files TEXT,
    stack_trace_snippet TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (task_id, attempt_number),
    FOREIGN KEY (task_id, attempt_number)
        REFERENCES iteration_outcomes(task_id, attempt_number)
        ON DELETE CASCADE
);
CREATE TABLE IF NOT EXISTS strategy_metrics (
    task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
    total_attempts INTEGER NOT NULL DEFAULT 0,
    consecutive_failures INTEGER NOT NULL DEFAULT 0,
    last_attempt_at TEXT,
    last_success_at TEXT,
    difficulty_estimate TEXT,
    suggested_model TEXT,
    stuck_flag INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (task_id)
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
    reset_at TEXT
);
CREATE TABLE IF NOT EXISTS claims (
    task_id TEXT PRIMARY KEY REFERENCES tasks(id) ON DELETE CASCADE,
    token INTEGER NOT NULL,
    run_id TEXT,
    pid INTEGER,
    start_time TEXT,
    boot_id TEXT,
    host TEXT,
    claimed_at TEXT NOT NULL,
    heartbeat_at TEXT NOT NULL,
    says_done INTEGER NOT NULL DEFAULT 0,
    says_failed INTEGER NOT NULL DEFAULT 0
);
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
    iterations INTEGER NOT NULL DEFAULT 0
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
    end_kind TEXT
);
CREATE TABLE IF NOT EXISTS pending_commits (
    iteration_id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    base TEXT NOT NULL,
    paths TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at TEXT NOT NULL,
    commit_hash TEXT,
    finished_at TEXT
);
CREATE TABLE IF NOT EXISTS workspace_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    task_id TEXT,
    baseline TEXT,
    salvages TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE IF NOT EXISTS outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    type TEXT NOT NULL,
    run_id TEXT,
    data TEXT NOT NULL,
    rows TEXT NOT NULL
);`,
  columns: {
    tasks: [
      "status_reason TEXT",
      "block_cause TEXT",
      "tags TEXT NOT NULL DEFAULT '[]'",
      "files TEXT NOT NULL DEFAULT '[]'",
      "acceptance TEXT NOT NULL DEFAULT '[]'",
      "verification TEXT NOT NULL DEFAULT '[]'",
      "allow_no_change INTEGER NOT NULL DEFAULT 0",
      "parallel_group INTEGER",
      "commit_template TEXT",
      "source_format TEXT",
      "source_path TEXT",
      "source_key TEXT",
      "attempts_before INTEGER NOT NULL DEFAULT 0",
      "position INTEGER NOT NULL DEFAULT 0",
      "fence INTEGER NOT NULL DEFAULT 0",
    ],
    iteration_outcomes: [
      "cost_usd REAL",
      "run_id TEXT",
      "agent TEXT",
      "verification TEXT",
      "error_signature TEXT",
      "verification_output TEXT",
      "iteration_id TEXT",
      "reason TEXT",
    ],
    failure_reports: ["retry_suggestion TEXT", "error_signature TEXT", "last_message TEXT"],
    strategy_metrics: ["next_model TEXT"],
  },
  indexes: `
CREATE INDEX IF NOT EXISTS idx_iteration_outcomes_task_id ON iteration_outcomes(task_id);
CREATE INDEX IF NOT EXISTS idx_iteration_outcomes_started_at ON iteration_outcomes(started_at);
CREATE INDEX IF NOT EXISTS idx_iteration_outcomes_model_outcome ON iteration_outcomes(model, outcome);
CREATE INDEX IF NOT EXISTS idx_iteration_outcomes_run_id ON iteration_outcomes(run_id);
CREATE INDEX IF NOT EXISTS idx_failure_reports_task_id ON failure_reports(task_id);
CREATE INDEX IF NOT EXISTS idx_failure_reports_error_category ON failure_reports(error_category);
CREATE INDEX IF NOT EXISTS idx_strategy_metrics_stuck_flag ON strategy_metrics(stuck_flag);
CREATE INDEX IF NOT EXISTS idx_strategy_metrics_consecutive_failures ON strategy_metrics(consecutive_failures);
CREATE INDEX IF NOT EXISTS idx_interruptions_task_id ON interruptions(task_id);
CREATE INDEX IF NOT EXISTS idx_interruptions_run_id ON interruptions(run_id);
CREATE INDEX IF NOT EXISTS idx_tasks_next ON tasks(status, priority, created_at, position, id);
CREATE INDEX IF NOT EXISTS idx_tasks_position ON tasks(position);
CREATE INDEX IF NOT EXISTS idx_tasks_parent ON tasks(parent_id, status);
CREATE INDEX IF NOT EXISTS idx_tasks_source ON tasks(source_path, source_key);
CREATE INDEX IF NOT EXISTS idx_dependencies_blocked ON dependencies(blocked_id, blocker_id);
CREATE INDEX IF NOT EXISTS idx_dependencies_blocker ON dependencies(blocker_id, blocked_id);
CREATE INDEX IF NOT EXISTS idx_task_logs_task ON task_logs(task_id, id);
CREATE INDEX IF NOT EXISTS idx_runs_started_at ON runs(started_at);
CREATE INDEX IF NOT EXISTS idx_iterations_run ON iterations(run_id, number);
CREATE INDEX IF NOT EXISTS idx_iterations_task ON iterations(task_id);
CREATE INDEX IF NOT EXISTS idx_iterations_open ON iterations(started_at) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS idx_pending_commits_open ON pending_commits(created_at) WHERE finished_at IS NULL;`,
  // An event numbered 2 makes the event log write a snapshot of all rows: it means that earlier writes are not in the log.
  data: `
UPDATE tasks SET description = '' WHERE description IS NULL;
UPDATE tasks SET priority = 2 WHERE priority IS NULL;
INSERT INTO outbox (seq, timestamp, type, run_id, data, rows)
    SELECT 2, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'store.migrated', NULL, '{"toVersion":2}', '[]'
    WHERE EXISTS (SELECT 1 FROM tasks);`,
};
