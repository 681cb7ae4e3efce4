import type { RedactedText } from "../../base/safe-text.ts";
import { clip, oneLine } from "../../base/text.ts";
import { isErrorLine } from "../../outcome/error-line.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Reader } from "../../store/port/db.ts";
import { detailChars, type Learning, lessonChars } from "./store/learning.ts";
import { storableText } from "./store/learning-text.ts";

const maxSignatures = 3;

/** An error with which earlier attempts of a task failed, until a verified attempt ended it. */
export interface OvercomeFailure {
  readonly signatures: readonly RedactedText[];
  readonly category: string;
  /** Its first error line. */
  readonly headline: string;
  /** The approaches of the failed attempts, oldest first. */
  readonly tried: readonly string[];
  /** False: the attempt that passed left the same changes as the last that failed, so nothing ended the error. */
  readonly changed: boolean;
}

interface FailedRow {
  readonly signature: RedactedText | null;
  readonly output: string | null;
  readonly tried: string | null;
  readonly category: string | null;
  readonly verification: string | null;
  readonly tree: string | null;
}

/** Reports whether an attempt failed with an error. The words of an agent that stopped are not one. */
function isError({ verification, output }: FailedRow): boolean {
  return verification === "failed" || (output ?? "").split("\n").some(isErrorLine);
}

/** Returns the errors of the task's failed attempts since its last success, latest first; undefined without any. */
export async function overcomeFailure(q: Reader, outcome: Outcome): Promise<OvercomeFailure | undefined> {
  if (outcome.name !== "done" || outcome.verification !== "passed" || outcome.attempt === 1) return undefined;
  const rows = await q.all<FailedRow>(
    `SELECT o.error_signature AS signature, o.verification_output AS output, r.what_was_tried AS tried,
       r.error_category AS category, o.verification, o.tree
     FROM iteration_outcomes o
     LEFT JOIN failure_reports r ON r.task_id = o.task_id AND r.attempt_number = o.attempt_number
     WHERE o.task_id = ? AND o.outcome <> 'done' AND o.error_signature IS NOT NULL AND o.attempt_number > COALESCE(
       (SELECT MAX(attempt_number) FROM iteration_outcomes WHERE task_id = ? AND outcome = 'done' AND attempt_number < ?), 0)
     ORDER BY o.attempt_number DESC LIMIT 10`,
    [outcome.taskId, outcome.taskId, outcome.attempt],
  );
  const errors = rows.filter(isError);
  const [last] = errors;
  if (!last?.signature) return undefined;
  const signatures = [...new Set(errors.flatMap(({ signature }) => signature ?? []))].slice(0, maxSignatures);
  const lines = (last.output ?? "").split("\n");
  const headline = oneLine(storableText(lines.find(isErrorLine) ?? lines.find((line) => line.trim()) ?? ""));
  const tried = errors
    .filter(({ signature }) => signature === last.signature)
    .flatMap((row) => (row.tried ? [oneLine(storableText(row.tried))] : []))
    .toReversed();
  const changed = last.tree === null || last.tree !== outcome.tree;
  return { signatures, category: last.category ?? "unknown", headline, tried, changed };
}

const fixPrefix = "Fix for `";

/** Reports whether a learning was built from the facts of a fix, not stated by an agent. */
export function isFixLesson({ lesson, fixes }: Pick<Learning, "lesson" | "fixes">): boolean {
  return fixes.length > 0 && lesson.startsWith(fixPrefix);
}

/** A lesson with its detail, built from facts. */
interface FixLesson {
  readonly lesson: string;
  readonly detail: string;
  /** The error that the attempt ended: earlier ones were ended by others. */
  readonly fixes: readonly RedactedText[];
}

/**
 * Builds the lesson of a known fix from facts: the error, and what the attempt that ended it changed and said. Returns
 * undefined when nothing changed between the two, or what changed is not known: such a lesson would teach nothing.
 */
export function fixLesson(
  overcome: OvercomeFailure,
  outcome: Outcome,
  summary: string,
): FixLesson | undefined {
  const hunks = (outcome.work.hunks ?? []).map((hunk) => clip(oneLine(storableText(hunk)), 160));
  if (hunks.length === 0 || !overcome.changed) return undefined;
  const error = clip(overcome.headline || overcome.category, 110);
  const did = oneLine(storableText(summary)) || `changed ${hunks.slice(0, 2).join("; ")}`;
  const prefix = `${fixPrefix}${error.replaceAll("`", "'")}\`: `;
  const lesson = `${prefix}${clip(did, lessonChars - prefix.length)}`;
  const failed = overcome.tried.map((text) => `- ${clip(text, 200)}`);
  const parts = [
    `The attempt that passed changed:\n${hunks.map((hunk) => `- ${hunk}`).join("\n")}`,
    failed.length > 0 ? `Did not help:\n${failed.join("\n")}` : "",
  ];
  const detail = clip(storableText(parts.filter(Boolean).join("\n")), detailChars);
  return { lesson, detail, fixes: overcome.signatures.slice(0, 1) };
}
