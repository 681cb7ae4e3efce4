import { parseStrings } from "../../base/json.ts";
import type { RedactedText } from "../../base/safe-text.ts";
import type { Row, SqlValue } from "../../store/port/db.ts";
import type { LearningRecord, RecordEntry, RecordList, RecordOutcome, StatedIn } from "../port/record.ts";

/** A row of `learning_record_entries`: `toEntryRow` wrote its texts. */
export type EntryRow = Row & {
  readonly record_id: string;
  readonly content: RedactedText;
  readonly category: RedactedText;
  readonly supplement: RedactedText;
  readonly applies_when: RedactedText;
};

export function toEntry(row: EntryRow): RecordEntry {
  const { content, category, supplement } = row;
  return {
    list: String(row["list"]) as RecordList,
    content,
    category,
    supplement,
    reusable: Number(row["reusable"]) === 1,
    ...(row.applies_when === "" ? {} : { when: row.applies_when }),
    statedIn: String(row["stated_in"]) as StatedIn,
    learningId: row["learning_id"] === null ? null : String(row["learning_id"]),
  };
}

/** Returns the row of an entry: the `number`-th of its record. */
export function toEntryRow(recordId: string, number: number, entry: RecordEntry): Record<string, SqlValue> {
  return {
    record_id: recordId,
    number,
    list: entry.list,
    content: entry.content,
    category: entry.category,
    supplement: entry.supplement,
    reusable: entry.reusable ? 1 : 0,
    stated_in: entry.statedIn,
    learning_id: entry.learningId,
    applies_when: entry.when ?? "",
  };
}

export function toRow(record: Omit<LearningRecord, "entries">): Record<string, SqlValue> {
  return {
    id: record.id,
    task_id: record.taskId,
    attempt_number: record.attempt,
    run_id: record.runId,
    iteration_id: record.iterationId,
    recorded_at: record.recordedAt,
    outcome: record.outcome,
    verified: record.verified ? 1 : 0,
    tokens_used: record.tokensUsed,
    duration_seconds: record.durationSeconds,
    error: record.error,
    tags: JSON.stringify(record.tags),
    files: JSON.stringify(record.files),
    file_name: record.fileName,
    origin: record.origin,
    approved: record.approved ? 1 : 0,
  };
}

/** A row of `learning_records`: `toRow` wrote its texts. */
export type RecordRow = Row & { readonly error: RedactedText | null; readonly origin: RedactedText | null };

export function fromRow(row: RecordRow, entries: readonly RecordEntry[]): LearningRecord {
  const text = (name: string): string => String(row[name] ?? "");
  const optional = (name: string): string | null => (row[name] === null ? null : text(name));
  const number = (name: string): number | null => (row[name] === null ? null : Number(row[name]));
  return {
    id: text("id"),
    taskId: text("task_id"),
    attempt: number("attempt_number"),
    runId: optional("run_id"),
    iterationId: optional("iteration_id"),
    recordedAt: text("recorded_at"),
    outcome: text("outcome") as RecordOutcome,
    verified: number("verified") === 1,
    tokensUsed: number("tokens_used"),
    durationSeconds: number("duration_seconds"),
    error: row.error,
    tags: parseStrings(text("tags")),
    files: parseStrings(text("files")),
    fileName: text("file_name"),
    origin: row.origin,
    approved: number("approved") === 1,
    entries,
  };
}
