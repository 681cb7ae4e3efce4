import type { SchemaPart } from "./schema-part.ts";

/** The outcomes of attempts, the memory that their prompts showed, and notes. */
export const attemptsSchema: SchemaPart = {
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
    cost_usd REAL,
    run_id TEXT,
    agent TEXT,
    verification TEXT,
    error_signature TEXT,
    verification_output TEXT,
    iteration_id TEXT,
    reason TEXT,
    tree TEXT,
    split_refused TEXT,
    tokens_cache_read INTEGER,
    tokens_cache_write INTEGER,
    cost_source TEXT,
    agent_model TEXT,
    session_id TEXT,
    asked_model TEXT,
    extraction_model TEXT,
    extraction_usd REAL,
    stop_reason TEXT,
    error_kind TEXT,
    permission_denials TEXT,
    warnings TEXT,
    context_used INTEGER,
    context_size INTEGER,
    compactions INTEGER,
    clashed_files TEXT,
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
    retry_suggestion TEXT,
    error_signature TEXT,
    last_message TEXT,
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
    next_model TEXT,
    value_usd REAL,
    PRIMARY KEY (task_id)
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
CREATE TABLE IF NOT EXISTS memory_injections (
    iteration_id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    rank INTEGER NOT NULL,
    held_out INTEGER NOT NULL DEFAULT 0,
    score REAL NOT NULL DEFAULT 0,
    verdict TEXT CHECK (verdict IN ('helpful','harmful')),
    PRIMARY KEY (iteration_id, memory_id)
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
);
CREATE TABLE IF NOT EXISTS memory_health (
    kind TEXT PRIMARY KEY,
    succeeded_at TEXT,
    failed_at TEXT,
    error TEXT,
    skipped_until TEXT
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
CREATE TABLE IF NOT EXISTS note_contents (
    hash TEXT PRIMARY KEY,
    content TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS note_iterations (
    iteration_id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    number INTEGER NOT NULL
);`,
  indexes: `
CREATE INDEX IF NOT EXISTS idx_iteration_outcomes_task_id ON iteration_outcomes(task_id);
CREATE INDEX IF NOT EXISTS idx_iteration_outcomes_started_at ON iteration_outcomes(started_at);
CREATE INDEX IF NOT EXISTS idx_iteration_outcomes_model_outcome ON iteration_outcomes(model, outcome);
CREATE INDEX IF NOT EXISTS idx_iteration_outcomes_run_id ON iteration_outcomes(run_id);
CREATE INDEX IF NOT EXISTS idx_failure_reports_task_id ON failure_reports(task_id);
CREATE INDEX IF NOT EXISTS idx_failure_reports_error_category ON failure_reports(error_category);
CREATE INDEX IF NOT EXISTS idx_strategy_metrics_stuck_flag ON strategy_metrics(stuck_flag);
CREATE INDEX IF NOT EXISTS idx_strategy_metrics_consecutive_failures ON strategy_metrics(consecutive_failures);
CREATE INDEX IF NOT EXISTS idx_memory_injections_memory ON memory_injections(memory_id);
CREATE INDEX IF NOT EXISTS idx_memory_trials_run ON memory_trials(run_id);
CREATE INDEX IF NOT EXISTS idx_memory_trials_task ON memory_trials(task_id);
CREATE INDEX IF NOT EXISTS idx_notes_session ON notes(session, iteration);
CREATE INDEX IF NOT EXISTS idx_notes_run ON notes(run_id);
CREATE INDEX IF NOT EXISTS idx_note_iterations_session ON note_iterations(session, number);`,
};
