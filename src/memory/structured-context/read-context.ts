import { parseStrings } from "../../base/json.ts";
import type { SafeText } from "../../base/safe-text.ts";
import type { Reader } from "../../store/port/db.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { type Health, readHealth } from "../port/health-store.ts";

/** One task that is done or given up (CTX-1). */
export interface Story {
  readonly id: SafeText;
  readonly title: SafeText;
  readonly status: "completed" | "failed";
  /** The files that its last attempt changed and those that the task names. */
  readonly filesModified: readonly SafeText[];
  /** The usable lessons of its last attempt; "" for none. */
  readonly learnings: SafeText;
}

/** One failed attempt. */
export interface StoryFailure {
  readonly storyId: SafeText;
  readonly category: SafeText;
  readonly error: SafeText;
}

/** The content of `.ralph-context.json`, oldest first. */
export interface StructuredContext {
  readonly stories: readonly Story[];
  readonly failures: readonly StoryFailure[];
}

const maxStories = 200;
const maxFailures = 20;
const maxFiles = 50;
const errorChars = 500;
const learningsChars = 1000;

/** Reads the finished tasks and the last failures of the project. */
export async function readContext(q: Reader): Promise<StructuredContext> {
  return { stories: await readStories(q, maxStories), failures: await readFailures(q) };
}

/**
 * Reads what the prompt of a task shows: the last `count` results of other tasks, and the failures of those that are still
 * open. The task's own failures have a section, and a task that passed later needs no warning.
 */
export async function readOthers(q: Reader, taskId: string, count: number): Promise<StructuredContext> {
  return { stories: await readStories(q, count, taskId), failures: await readFailures(q, taskId) };
}

/** Counts what `readContext` returns. */
export async function countContext(
  q: Reader,
): Promise<{ readonly stories: number; readonly failures: number }> {
  const stories = await q.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 FROM tasks t WHERE t.status IN ('done', 'failed') AND EXISTS
       (SELECT 1 FROM learning_records r WHERE r.task_id = t.id AND r.attempt_number IS NOT NULL) LIMIT ${maxStories}) AS stories`,
  );
  const failures = await q.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 FROM iteration_outcomes WHERE outcome <> 'done' LIMIT ${maxFailures}) AS failures`,
  );
  return { stories: Number(stories?.n ?? 0), failures: Number(failures?.n ?? 0) };
}

interface StoryRow {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly files: string;
  readonly record: string;
}

/** A record with its task; null where that was removed. */
interface RecordRow extends StoryRow {
  readonly attempt: number | null;
}

/** Reads the last `count` stories, oldest first, without those of the task `except`. */
async function readStories(q: Reader, count: number, except = ""): Promise<readonly Story[]> {
  const rows = await lastRows(q, count, except);
  const learnings = await learningsOf(
    q,
    rows.map(({ record }) => record),
  );
  return rows.toReversed().map(({ id, title, status, files, record }) => ({
    id: safeLine(id, 80),
    title: safeLine(title, 200),
    status: status === "done" ? ("completed" as const) : ("failed" as const),
    filesModified: parseStrings(files)
      .slice(0, maxFiles)
      .map((file) => safeLine(file, 300)),
    learnings: safeLine((learnings.get(record) ?? []).join("; "), learningsChars),
  }));
}

/**
 * Reads the last record of each of the tasks that ended last, newest first. Looks at more and more of the newest records: a project
 * may have thousands. A record exists for each judged attempt; that of an imported file names no attempt.
 */
async function lastRows(q: Reader, count: number, except: string): Promise<readonly StoryRow[]> {
  for (let newest = 2 * count + 1; ; newest *= 4) {
    const rows = await q.all<RecordRow>(
      `SELECT t.id, t.title, t.status, r.files, r.id AS "record", r.attempt_number AS "attempt" FROM
         (SELECT * FROM learning_records ORDER BY recorded_at DESC, attempt_number DESC, id DESC LIMIT ?) AS r
       LEFT JOIN tasks t ON t.id = r.task_id ORDER BY r.recorded_at DESC, r.attempt_number DESC, r.id DESC`,
      [newest],
    );
    const found = new Map<string, StoryRow>();
    for (const { attempt, ...row } of rows) {
      const isEnded = attempt !== null && (row.status === "done" || row.status === "failed");
      if (isEnded && row.id !== except && found.size < count && !found.has(row.id)) found.set(row.id, row);
    }
    if (found.size === count || rows.length < newest) return [...found.values()];
  }
}

async function learningsOf(q: Reader, records: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const found = new Map<string, string[]>();
  if (records.length === 0) return found;
  const marks = records.map(() => "?").join(", ");
  const rows = await q.all<{ record: string; content: string }>(
    `SELECT e.record_id AS "record", e.content FROM learning_record_entries e
     JOIN learnings l ON l.id = e.learning_id AND l.status = 'active'
     WHERE e.record_id IN (${marks})
     UNION ALL SELECT r.id, l.content FROM learning_records r
     JOIN learnings l ON l.run_id = r.run_id AND l.iteration_id = r.iteration_id
       AND l.category = 'summary' AND l.status = 'active' WHERE r.id IN (${marks})`,
    [...records, ...records],
  );
  for (const { record, content } of rows) found.set(record, [...(found.get(record) ?? []), content]);
  return found;
}

interface FailureRow {
  readonly storyId: string;
  readonly category: string | null;
  readonly error: string | null;
  readonly status: string | null;
}

/** Reads the last failures, oldest first; without those of the task `except` and of tasks that ended, if it is given. */
async function readFailures(q: Reader, except?: string): Promise<readonly StoryFailure[]> {
  const rows = await q.all<FailureRow>(
    `SELECT o.task_id AS "storyId", f.error_category AS "category", COALESCE(r.error, o.reason) AS "error", t.status
     FROM iteration_outcomes o LEFT JOIN tasks t ON t.id = o.task_id
     LEFT JOIN failure_reports f ON f.task_id = o.task_id AND f.attempt_number = o.attempt_number
     LEFT JOIN learning_records r ON r.iteration_id = o.iteration_id
     WHERE o.outcome <> 'done' ORDER BY o.started_at DESC, o.attempt_number DESC LIMIT ${maxFailures}`,
  );
  const isOther = ({ storyId, status }: FailureRow): boolean =>
    storyId !== except && status !== "done" && status !== "failed";
  const wanted = except === undefined ? rows : rows.filter(isOther);
  return wanted.toReversed().map(({ storyId, category, error }) => ({
    storyId: safeLine(storyId, 80),
    category: safeLine(category ?? "unknown", 40),
    error: safeLine(error ?? "", errorChars),
  }));
}

/** The state of `.ralph-context.json`, for `ralph status`: what it holds, and the ends of the last writes. */
export interface ContextStatus extends Health {
  readonly stories: number;
  readonly failures: number;
}

/** Returns how the structured context is. Only reads. */
export async function contextStatus(q: Reader): Promise<ContextStatus> {
  return { ...(await countContext(q)), ...(await readHealth(q, "structured-context")) };
}
