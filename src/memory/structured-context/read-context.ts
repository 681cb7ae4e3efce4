import { parseStrings } from "../../base/json.ts";
import type { SafeText } from "../../base/safe-text.ts";
import type { Reader } from "../../store/db.ts";
import { safeLine } from "../../trust/safe-text.ts";

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
  return { stories: await readStories(q), failures: await readFailures(q) };
}

/** Counts what `readContext` returns. */
export async function countContext(
  q: Reader,
): Promise<{ readonly stories: number; readonly failures: number }> {
  const stories = await q.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 FROM tasks t WHERE t.status IN ('done', 'failed') AND EXISTS
       (SELECT 1 FROM learning_records r WHERE r.task_id = t.id AND r.attempt_number IS NOT NULL) LIMIT ${maxStories})`,
  );
  const failures = await q.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 FROM iteration_outcomes WHERE outcome <> 'done' LIMIT ${maxFailures})`,
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

/** A record exists for each judged attempt; that of an imported file names no attempt. */
async function readStories(q: Reader): Promise<readonly Story[]> {
  const rows = await q.all<StoryRow>(
    `SELECT t.id, t.title, t.status, r.files, r.id AS "record"
     FROM learning_records r JOIN tasks t ON t.id = r.task_id
     WHERE t.status IN ('done', 'failed') AND r.attempt_number =
       (SELECT MAX(attempt_number) FROM learning_records WHERE task_id = t.id)
     ORDER BY r.recorded_at DESC, r.id DESC LIMIT ${maxStories}`,
  );
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

async function learningsOf(q: Reader, records: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const found = new Map<string, string[]>();
  if (records.length === 0) return found;
  const rows = await q.all<{ record: string; content: string }>(
    `SELECT e.record_id AS "record", e.content FROM learning_record_entries e
     JOIN learnings l ON l.id = e.learning_id AND l.status = 'active'
     WHERE e.record_id IN (${records.map(() => "?").join(", ")}) ORDER BY e.record_id, e.number`,
    [...records],
  );
  for (const { record, content } of rows) found.set(record, [...(found.get(record) ?? []), content]);
  return found;
}

interface FailureRow {
  readonly storyId: string;
  readonly category: string | null;
  readonly error: string | null;
}

async function readFailures(q: Reader): Promise<readonly StoryFailure[]> {
  const rows = await q.all<FailureRow>(
    `SELECT o.task_id AS "storyId", f.error_category AS "category", COALESCE(r.error, o.reason) AS "error"
     FROM iteration_outcomes o
     LEFT JOIN failure_reports f ON f.task_id = o.task_id AND f.attempt_number = o.attempt_number
     LEFT JOIN learning_records r ON r.iteration_id = o.iteration_id
     WHERE o.outcome <> 'done' ORDER BY o.started_at DESC, o.attempt_number DESC LIMIT ${maxFailures}`,
  );
  return rows.toReversed().map(({ storyId, category, error }) => ({
    storyId: safeLine(storyId, 80),
    category: safeLine(category ?? "unknown", 40),
    error: safeLine(error ?? "", errorChars),
  }));
}
