import { isObject, parseJson, parseStrings } from "../../../base/json.ts";
import { type RedactedText, safe } from "../../../base/safe-text.ts";
import type { Row, SqlValue } from "../../../store/port/db.ts";
import type { Citation, Learning, LearningSource, LearningStatus } from "./learning.ts";
import { contentHash } from "./learning-text.ts";

/** Converts a learning to its row. `taskId` is null when the task no longer exists. */
export function toRow(learning: Learning, taskId: string | null): Record<string, SqlValue> {
  const { provenance } = learning;
  return {
    id: learning.id,
    task_id: taskId,
    category: learning.category,
    content: learning.lesson,
    relevance_tags: JSON.stringify(learning.tags),
    created_at: learning.createdAt,
    pruned_at: learning.prunedAt,
    superseded_by: learning.supersededBy,
    detail: learning.detail,
    applies_when: learning.when,
    topic: learning.topic,
    files: JSON.stringify(learning.files),
    scope: learning.scope,
    status: learning.status,
    status_before: learning.statusBefore,
    pinned: learning.pinned ? 1 : 0,
    content_hash: contentHash(learning.lesson, learning.detail),
    citations: JSON.stringify(learning.citations),
    derived_from: JSON.stringify(learning.derivedFrom),
    fixes: JSON.stringify(learning.fixes),
    source: provenance.source,
    origin: provenance.origin,
    origin_task: provenance.task,
    run_id: provenance.runId,
    iteration_id: provenance.iterationId,
    agent: provenance.agent,
    model: provenance.model,
    updated_at: learning.updatedAt,
    validated_at: learning.validatedAt,
    proven_at: learning.provenAt,
    last_used_at: learning.lastUsedAt,
    times_seen: learning.timesSeen,
    times_shown: learning.timesShown,
    shown_passed: learning.shownPassed,
    shown_failed: learning.shownFailed,
    said_helpful: learning.saidHelpful,
    said_harmful: learning.saidHarmful,
    tasks_passed: learning.tasksPassed,
    tasks_failed: learning.tasksFailed,
  };
}

/** A row of `learnings`: `toRow` wrote its texts. */
export type LearningRow = Row & {
  readonly category: RedactedText;
  readonly content: RedactedText;
  readonly detail: RedactedText | null;
  readonly applies_when: RedactedText;
  readonly topic: RedactedText | null;
  readonly relevance_tags: RedactedText;
  readonly files: RedactedText;
  readonly fixes: RedactedText;
};

/** Converts a row to its learning. */
export function fromRow(row: LearningRow): Learning {
  const text = (name: string): string => String(row[name] ?? "");
  const optional = (name: string): string | null => ((row[name] ?? null) === null ? null : text(name));
  const number = (name: string): number => Number(row[name] ?? 0);
  return {
    id: text("id"),
    category: row.category,
    lesson: row.content,
    detail: row.detail ?? safe``,
    when: row.applies_when,
    topic: row.topic,
    tags: parseStrings(row.relevance_tags),
    files: parseStrings(row.files),
    scope: text("scope"),
    status: text("status") as LearningStatus,
    statusBefore: optional("status_before") as LearningStatus | null,
    pinned: number("pinned") === 1,
    citations: parseCitations(text("citations")),
    derivedFrom: parseStrings(text("derived_from")),
    fixes: parseStrings(row.fixes),
    provenance: {
      source: text("source") as LearningSource,
      origin: optional("origin"),
      task: optional("origin_task") ?? optional("task_id"),
      runId: optional("run_id"),
      iterationId: optional("iteration_id"),
      agent: optional("agent"),
      model: optional("model"),
    },
    supersededBy: optional("superseded_by"),
    createdAt: text("created_at"),
    updatedAt: optional("updated_at"),
    validatedAt: optional("validated_at"),
    provenAt: optional("proven_at"),
    lastUsedAt: optional("last_used_at"),
    prunedAt: optional("pruned_at"),
    timesSeen: number("times_seen"),
    timesShown: number("times_shown"),
    shownPassed: number("shown_passed"),
    shownFailed: number("shown_failed"),
    saidHelpful: number("said_helpful"),
    saidHarmful: number("said_harmful"),
    tasksPassed: number("tasks_passed"),
    tasksFailed: number("tasks_failed"),
  };
}

/** Parses the citations of a JSON array, without malformed items. */
function parseCitations(text: string): readonly Citation[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item): Citation[] => {
    if (!isObject(item) || typeof item["path"] !== "string" || typeof item["hash"] !== "string") return [];
    return [
      {
        path: item["path"],
        lines: typeof item["lines"] === "string" ? item["lines"] : null,
        hash: item["hash"],
      },
    ];
  });
}
