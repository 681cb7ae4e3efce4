import type { RedactedText } from "../../base/safe-text.ts";
import type { Reader, Tx } from "../../store/port/db.ts";

/** One line of the history of a task. */
export interface TaskLogLine {
  readonly message: RedactedText;
  readonly timestamp: string;
}

/** Adds a line. */
export async function insertTaskLog(tx: Tx, taskId: string, message: RedactedText, now: Date): Promise<void> {
  await tx.run("INSERT INTO task_logs (task_id, message, timestamp) VALUES (?, ?, ?)", [
    taskId,
    message,
    now.toISOString(),
  ]);
}

export async function deleteTaskLog(tx: Tx, taskId: string): Promise<void> {
  await tx.run("DELETE FROM task_logs WHERE task_id = ?", [taskId]);
}

/** A line that `changeLogLines` changed, as it was, or left. */
interface VisitedLine {
  readonly taskId: string;
  readonly text: string;
  readonly isChanged: boolean;
}

/** Changes lines of all tasks; `change` returns undefined for one that stays. */
export async function changeLogLines(
  tx: Tx,
  change: (text: string) => RedactedText | undefined,
): Promise<readonly VisitedLine[]> {
  const stored = await tx.all<{ id: number; taskId: string; text: string }>(
    `SELECT id, task_id AS "taskId", message AS text FROM task_logs`,
  );
  const lines: VisitedLine[] = [];
  for (const { id, taskId, text } of stored) {
    const changed = change(text);
    lines.push({ taskId, text, isChanged: changed !== undefined });
    if (changed === undefined) continue;
    await tx.run("UPDATE task_logs SET message = ? WHERE id = ?", [changed, id]);
  }
  return lines;
}

/** Returns the reasons of a run's changes of tasks, those of attempts that were deleted by age included. */
export async function loggedReasons(q: Reader, runId: string): Promise<readonly string[]> {
  const before = `by run ${runId}: `;
  const lines = await q.all<{ text: string }>("SELECT message AS text FROM task_logs WHERE message LIKE ?", [
    `%${before}%`,
  ]);
  return lines.map(({ text }) => text.slice(text.indexOf(before) + before.length));
}

/** Returns the latest `limit` lines of a task, oldest first. */
export async function readTaskLog(q: Reader, taskId: string, limit = 20): Promise<readonly TaskLogLine[]> {
  const lines = await q.all<TaskLogLine>(
    "SELECT message, timestamp FROM task_logs WHERE task_id = ? ORDER BY id DESC LIMIT ?",
    [taskId, limit],
  );
  return lines.toReversed();
}
