import type { AttemptRef } from "../../base/attempt-ref.ts";
import { isObject, parseJson, parseStrings } from "../../base/json.ts";
import type { SafeText } from "../../base/safe-text.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { insertRow, readNumber } from "../../store/port/rows.ts";
import { indexReports, reportId, unindexReports } from "./failure-index.ts";

/** Why one attempt was not done, as the table holds it. */
export interface FailureReport extends Pick<AttemptRef, "taskId" | "attempt"> {
  readonly whatTried: SafeText;
  readonly whyFailed: SafeText;
  readonly category: SafeText;
  readonly files: readonly SafeText[];
  readonly snippet: SafeText;
  readonly retrySuggestion: SafeText | null;
  readonly signature: SafeText | null;
  readonly lastMessage: SafeText;
}

/** A failed attempt with all that is known of it. The report's part is null when its capture failed. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly model: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly errorOutput: string;
  readonly signature: string | null;
  readonly whatTried: string | null;
  readonly whyFailed: string | null;
  readonly category: string | null;
  readonly files: readonly string[];
  readonly snippet: string;
  readonly retrySuggestion: string | null;
  readonly recordedAt: string;
  /** Why the split that it proposed was not made. */
  readonly splitRefused: string | null;
}

/** Writes the report, with its words; the attempt's outcome must be there already. */
export async function insertReport(tx: Tx, report: FailureReport, now: Date): Promise<void> {
  const row = {
    task_id: report.taskId,
    attempt_number: report.attempt,
    what_was_tried: report.whatTried,
    why_it_failed: report.whyFailed,
    error_category: report.category,
    relevant_files: JSON.stringify(report.files),
    stack_trace_snippet: report.snippet || null,
    created_at: now.toISOString(),
    retry_suggestion: report.retrySuggestion,
    error_signature: report.signature,
    last_message: report.lastMessage || null,
  };
  await insertRow(tx, "failure_reports", row);
  await indexReports(tx, [reportId(report)]);
}

type AttemptRow = Omit<FailedAttempt, "files" | "errorOutput" | "snippet"> & {
  readonly files: string | null;
  readonly errorOutput: string | null;
  readonly snippet: string | null;
};

/** The latest `limit` attempts of the task that were not done, oldest first. */
export async function failedAttempts(
  q: Reader,
  taskId: string,
  limit: number,
): Promise<readonly FailedAttempt[]> {
  const rows = await q.all<AttemptRow>(
    `SELECT o.attempt_number AS "attempt", o.model, o.outcome, o.reason, o.started_at AS "recordedAt",
       o.verification_output AS "errorOutput", COALESCE(r.error_signature, o.error_signature) AS "signature",
       r.what_was_tried AS "whatTried", r.why_it_failed AS "whyFailed", r.error_category AS "category",
       r.relevant_files AS "files", r.stack_trace_snippet AS "snippet", r.retry_suggestion AS "retrySuggestion", o.split_refused AS "splitRefused"
     FROM iteration_outcomes o
     LEFT JOIN failure_reports r ON r.task_id = o.task_id AND r.attempt_number = o.attempt_number
     WHERE o.task_id = ? AND o.outcome <> 'done' ORDER BY o.attempt_number DESC LIMIT ?`,
    [taskId, limit],
  );
  return rows.toReversed().map((row) => ({
    ...row,
    attempt: Number(row.attempt),
    files: parseStrings(row.files),
    errorOutput: row.errorOutput ?? "",
    snippet: row.snippet ?? "",
  }));
}

/** How many attempts of the task were not done. */
export async function countFailedAttempts(q: Reader, taskId: string): Promise<number> {
  return readNumber(
    q,
    "SELECT COUNT(*) AS n FROM iteration_outcomes WHERE task_id = ? AND outcome <> 'done'",
    [taskId],
  );
}

/** Counts the stored failure reports. */
export async function countReports(q: Reader): Promise<number> {
  return readNumber(q, "SELECT COUNT(*) AS n FROM failure_reports");
}

/** How many reports the attempts of one run left. */
export async function countReportsOf(q: Reader, runId: string): Promise<number> {
  return readNumber(
    q,
    `SELECT COUNT(*) AS n FROM failure_reports r JOIN iteration_outcomes o
       ON o.task_id = r.task_id AND o.attempt_number = r.attempt_number WHERE o.run_id = ?`,
    [runId],
  );
}

interface RetryThatSucceeded extends Pick<AttemptRef, "taskId" | "attempt"> {
  /** Of the failures before it. */
  readonly reports: number;
}

/**
 * The run's attempts that were done where earlier ones had left reports: those whose prompt showed them, and that changed
 * something since.
 */
export async function retriesThatSucceeded(q: Reader, runId: string): Promise<readonly RetryThatSucceeded[]> {
  const retries = await q.all<RetryThatSucceeded>(
    `SELECT o.task_id AS "taskId", o.attempt_number AS attempt, COUNT(*) AS reports
     FROM iteration_outcomes o JOIN failure_reports r
       ON r.task_id = o.task_id AND r.attempt_number < o.attempt_number
     WHERE o.run_id = ? AND o.outcome = 'done' AND COALESCE(o.tree, '') <> COALESCE((
       SELECT p.tree FROM iteration_outcomes p WHERE p.task_id = o.task_id AND p.attempt_number < o.attempt_number
       ORDER BY p.attempt_number DESC LIMIT 1), '?')
     GROUP BY o.task_id, o.attempt_number, o.started_at
     ORDER BY o.started_at`,
    [runId],
  );
  const shown = retries.length > 0 ? await attemptsWithReports(q, runId) : new Set<string>();
  return retries.filter(({ taskId, attempt }) => shown.has(`${taskId} ${attempt}`));
}

/** Returns the run's attempts, as "task attempt", whose prompt showed earlier ones. */
async function attemptsWithReports(q: Reader, runId: string): Promise<ReadonlySet<string>> {
  const rows = await q.all<{ readonly data: string }>(
    "SELECT data FROM events WHERE run_id = ? AND type = 'iteration.started'",
    [runId],
  );
  const started = rows.map(({ data }) => parseJson(data)).filter(isObject);
  const withReports = started.filter(({ memory }) => isObject(memory) && Number(memory["attempts"]) > 0);
  return new Set(withReports.map(({ taskId, attempt }) => `${taskId} ${attempt}`));
}

/** Permanently deletes the reports of a run's attempts, and returns their number. */
export async function eraseReports(tx: Tx, runId: string): Promise<number> {
  const keys = await tx.all<Key>(
    `SELECT r.task_id, r.attempt_number FROM failure_reports r JOIN iteration_outcomes o
       ON o.task_id = r.task_id AND o.attempt_number = r.attempt_number WHERE o.run_id = ?`,
    [runId],
  );
  await deleteReports(tx, keys);
  return keys.length;
}

/** Deletes all reports of a task. */
export async function deleteReportsOf(tx: Tx, taskId: string, _now: Date): Promise<void> {
  const keys = await tx.all<Key>(
    "SELECT task_id, attempt_number FROM failure_reports WHERE task_id = ? ORDER BY attempt_number",
    [taskId],
  );
  await deleteReports(tx, keys);
}

interface Key {
  readonly task_id: string;
  readonly attempt_number: number;
}

async function deleteReports(tx: Tx, keys: readonly Key[]): Promise<void> {
  for (const { task_id, attempt_number } of keys) {
    await tx.run("DELETE FROM failure_reports WHERE task_id = ? AND attempt_number = ?", [
      task_id,
      attempt_number,
    ]);
  }
  await unindexReports(
    tx,
    keys.map(({ task_id, attempt_number }) => reportId({ taskId: task_id, attempt: attempt_number })),
  );
}
