import { isObject, type JsonValue, parseJson, parseStrings } from "../../base/json.ts";
import type { RedactedText } from "../../base/safe-text.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";
import type { BlockCause, Task, TaskSource, TaskStatus } from "./task.ts";

/** A row of `tasks`, with the columns that `taskOf` reads. */
export interface TaskRow {
  readonly id: string;
  readonly parent_id: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly status: TaskStatus;
  readonly status_reason: RedactedText | null;
  readonly block_cause: BlockCause | null;
  readonly priority: number;
  readonly tags: string;
  readonly files: string;
  readonly acceptance: string;
  readonly verification: string;
  readonly allow_no_change: number;
  readonly allow_red: number;
  readonly parallel_group: number | null;
  readonly commit_template: string | null;
  readonly source_format: TaskSource["format"] | null;
  readonly source_path: string | null;
  readonly source_key: string | null;
  readonly attempts_before: number;
  readonly position: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export function taskOf(row: TaskRow): Task {
  return {
    id: row.id,
    parentId: row.parent_id,
    title: row.title,
    description: row.description ?? "",
    status: row.status,
    statusReason: row.status_reason,
    blockCause: row.block_cause,
    priority: row.priority,
    tags: stringsOf(row.tags),
    files: stringsOf(row.files),
    acceptance: stringsOf(row.acceptance),
    verification: verificationOf(row.verification),
    allowNoChange: row.allow_no_change !== 0,
    allowRed: row.allow_red !== 0,
    parallelGroup: row.parallel_group,
    commitTemplate: row.commit_template,
    source: sourceOf(row),
    attemptsBefore: row.attempts_before,
    position: row.position,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function sourceOf(row: TaskRow): TaskSource | null {
  if (row.source_format === null || row.source_path === null || row.source_key === null) return null;
  return { format: row.source_format, path: row.source_path, key: row.source_key };
}

/** Parses a list. Skips the parser for an empty one: most are, and 10,000 rows have three lists each. */
function stringsOf(text: string): readonly string[] {
  return text === "[]" ? [] : parseStrings(text);
}

function verificationOf(text: string): readonly VerifyCommand[] {
  if (text === "[]") return [];
  const value = parseJson(text);
  return Array.isArray(value) ? value.flatMap(commandOf) : [];
}

function commandOf(value: JsonValue): readonly VerifyCommand[] {
  if (!isObject(value) || typeof value["run"] !== "string") return [];
  const timeoutMs = value["timeoutMs"];
  return [{ run: value["run"], timeoutMs: typeof timeoutMs === "number" ? timeoutMs : null }];
}
