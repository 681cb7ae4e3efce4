/** Memory's tables as the first design has them. */
export const firstMemoryTables = `
CREATE TABLE iteration_outcomes (
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
CREATE INDEX idx_iteration_outcomes_task_id ON iteration_outcomes(task_id);
CREATE INDEX idx_iteration_outcomes_started_at ON iteration_outcomes(started_at);
CREATE INDEX idx_iteration_outcomes_model_outcome ON iteration_outcomes(model, outcome);
CREATE TABLE failure_reports (
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
CREATE INDEX idx_failure_reports_task_id ON failure_reports(task_id);
CREATE INDEX idx_failure_reports_error_category ON failure_reports(error_category);
CREATE TABLE strategy_metrics (
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
CREATE INDEX idx_strategy_metrics_stuck_flag ON strategy_metrics(stuck_flag);
CREATE INDEX idx_strategy_metrics_consecutive_failures ON strategy_metrics(consecutive_failures);`;
