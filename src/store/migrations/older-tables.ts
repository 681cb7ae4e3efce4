/** SQL that adds keys to tables of schema 1 that another tool created without them. */
export const uniqueTasks = "CREATE UNIQUE INDEX idx_tasks_id ON tasks(id)";

export const uniqueDependencies: string = `
DELETE FROM dependencies WHERE rowid NOT IN
    (SELECT min(rowid) FROM dependencies GROUP BY blocker_id, blocked_id);
CREATE UNIQUE INDEX idx_dependencies_pair ON dependencies(blocker_id, blocked_id)`;

export const countedTaskLogs: string = `
CREATE TABLE task_logs_counted (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
    message TEXT NOT NULL,
    timestamp TEXT NOT NULL
);
INSERT INTO task_logs_counted (task_id, message, timestamp)
    SELECT task_id, coalesce(message, ''), coalesce(timestamp, '') FROM task_logs
    WHERE task_id IN (SELECT id FROM tasks) ORDER BY rowid;
DROP TABLE task_logs;
ALTER TABLE task_logs_counted RENAME TO task_logs`;
