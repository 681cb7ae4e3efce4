import { parseStrings } from "../../base/json.ts";
import { type RedactedText, safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import type { Reader } from "../../store/port/db.ts";
import {
  type RecordEntry,
  type RecordList,
  type RecordOutcome,
  recordTextChars,
  type StatedIn,
} from "./record.ts";

/** One pattern of one record: the unit that aggregation counts (SKILL-1). */
export interface Evidence {
  readonly kind: "success" | "failure" | "discovery";
  /** The topic. */
  readonly category: RedactedText;
  /** The pattern of a success or failure, the description of a discovery. */
  readonly pattern: RedactedText;
  /** A failure's lesson, a discovery's source; "" for none. */
  readonly supplement: RedactedText;
  readonly reusable: boolean;
  readonly statedIn: StatedIn;
  readonly recordId: string;
  /** The learning with the same text; null: none. */
  readonly learningId: string | null;
  readonly taskId: string;
  /** Null for an imported record, like `attempt`. */
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly outcome: RecordOutcome;
  /** True: ralph's own verification of this attempt passed. Never for an imported record. */
  readonly verified: boolean;
  readonly imported: boolean;
  /** The first line of the error that the attempt ended with; null: none. */
  readonly error: RedactedText | null;
  /** The tags of the task. */
  readonly tags: readonly string[];
  /** The files that the attempt changed and those that the task names. */
  readonly files: readonly string[];
  /** ISO 8601. */
  readonly at: string;
}

const kinds = { successes: "success", failures: "failure", discoveries: "discovery" } as const;

type EvidenceRow = Omit<Evidence, "kind" | "reusable" | "verified" | "imported" | "tags" | "files"> & {
  readonly list: keyof typeof kinds;
  readonly reusable: number;
  readonly verified: number;
  readonly imported: number;
  readonly tags: string;
  readonly files: string;
  /** Null without a learning. */
  readonly lesson: RedactedText | null;
  readonly detail: RedactedText | null;
};

/**
 * Returns the successes, failures and discoveries of all records, oldest first. Imported ones count once they are
 * approved: with `--approve`, or when a person approved the learning made of them. Those of archived learnings do not
 * count. A pattern that a person corrected (`ralph memory edit`) has its current text. Only reads.
 */
export async function readEvidence(q: Reader): Promise<readonly Evidence[]> {
  const rows = await q.all<EvidenceRow>(
    `SELECT e.list, e.category, e.content AS pattern, e.supplement, e.reusable, e.stated_in AS "statedIn",
       e.record_id AS "recordId", e.learning_id AS "learningId", r.task_id AS "taskId", r.run_id AS "runId",
       r.attempt_number AS attempt, r.outcome, r.verified, CASE WHEN r.origin IS NULL THEN 0 ELSE 1 END AS imported,
       l.content AS lesson, l.detail, r.error, r.tags, r.files, r.recorded_at AS at
     FROM learning_records r JOIN learning_record_entries e ON e.record_id = r.id
     LEFT JOIN learnings l ON l.id = e.learning_id
     WHERE e.list IN ('successes','failures','discoveries')
       AND (l.status IS NULL OR l.status NOT IN ('pruned','quarantined'))
       AND (r.approved = 1 OR l.source = 'import')
     ORDER BY r.recorded_at, r.id, e.number`,
  );
  return rows.map(({ list, lesson, detail, ...row }) => ({
    ...row,
    ...(row.statedIn === "learning" && lesson !== null ? currentTexts(list, lesson, detail) : {}),
    kind: kinds[list],
    attempt: row.attempt === null ? null : Number(row.attempt),
    reusable: Number(row.reusable) === 1,
    verified: Number(row.verified) === 1,
    imported: Number(row.imported) === 1,
    tags: parseStrings(row.tags),
    files: parseStrings(row.files),
  }));
}

function currentTexts(
  list: EvidenceRow["list"],
  lesson: RedactedText,
  detail: RedactedText | null,
): Pick<Evidence, "pattern" | "supplement"> {
  const { content, supplement } = textsOfLearning(list, lesson, detail ?? safe``);
  return { pattern: content, supplement };
}

/** Returns the texts of an entry from those of its learning. */
export function textsOfLearning(
  list: RecordList,
  lesson: RedactedText,
  detail: RedactedText,
): Pick<RecordEntry, "content" | "supplement"> {
  const [content, supplement] = list === "failures" ? splitPitfall(lesson, detail) : [lesson, safe``];
  return { content, supplement: list === "discoveries" ? safe`agent` : supplement };
}

/** Splits "what failed. What to do instead" at its first sentence; both parts have at least some words. */
function splitPitfall(lesson: RedactedText, detail: RedactedText): readonly [RedactedText, RedactedText] {
  if (detail !== "") return [lesson, clip(detail, recordTextChars)];
  const end = /^.{19,}?[.!?;](?=\s+\S.{9,}$)/s.exec(lesson)?.[0].length;
  return end === undefined ? [lesson, safe``] : [lesson.slice(0, end), lesson.slice(end).trim()];
}
