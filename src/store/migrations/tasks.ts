import type { SchemaPart } from "./schema-part.ts";

/** Tasks, what they depend on, who works on them, and messages for their prompts. */
export const tasksSchema: SchemaPart = {
  tables: `
CREATE TABLE IF NOT EXISTS tasks (
    id TEXT PRIMARY KEY,
    parent_id TEXT REFERENCES tasks(id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending','in_progress','done','blocked','failed')),
    priority INTEGER NOT NULL DEFAULT 2,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    claimed_by TEXT,
    status_reason TEXT,
    block_cause TEXT,
    tags TEXT NOT NULL DEFAULT '[]',
    files TEXT NOT NULL DEFAULT '[]',
    acceptance TEXT NOT NULL DEFAULT '[]',
    verification TEXT NOT NULL DEFAULT '[]',
    allow_no_change INTEGER NOT NULL DEFAULT 0,
    parallel_group INTEGER,
    commit_template TEXT,
    source_format TEXT,
    source_path TEXT,
    source_key TEXT,
    attempts_before INTEGER NOT NULL DEFAULT 0,
    position INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    allow_red INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS dependencies (
    blocker_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
    blocked_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
    PRIMARY KEY (blocker_id, blocked_id),
    CHECK (blocker_id <> blocked_id)
);
CREATE TABLE IF NOT EXISTS task_logs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
    message TEXT NOT NULL,
    timestamp TEXT NOT NULL
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
CREATE TABLE IF NOT EXISTS messages (
    id TEXT PRIMARY KEY,
    task_id TEXT REFERENCES tasks(id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL,
    iteration_id TEXT,
    delivered_task_id TEXT,
    delivered_at TEXT,
    now_state TEXT,
    now_agent TEXT,
    now_reason TEXT
);`,
  indexes: `
CREATE INDEX IF NOT EXISTS idx_tasks_next ON tasks(status, priority, created_at, position, id);
CREATE INDEX IF NOT EXISTS idx_tasks_position ON tasks(position);
CREATE INDEX IF NOT EXISTS idx_tasks_parent ON tasks(parent_id, status);
CREATE INDEX IF NOT EXISTS idx_tasks_source ON tasks(source_path, source_key);
CREATE INDEX IF NOT EXISTS idx_dependencies_blocked ON dependencies(blocked_id, blocker_id);
CREATE INDEX IF NOT EXISTS idx_dependencies_blocker ON dependencies(blocker_id, blocked_id);
CREATE INDEX IF NOT EXISTS idx_task_logs_task ON task_logs(task_id, id);
CREATE INDEX IF NOT EXISTS idx_messages_waiting ON messages(created_at, id) WHERE iteration_id IS NULL;
CREATE INDEX IF NOT EXISTS idx_messages_iteration ON messages(iteration_id);`,
};
