import type { RedactedText } from "../../base/safe-text.ts";

/** Maximum length of one text of a record. */
export const recordTextChars = 600;

/** The lists of a record file. */
export type RecordList = "successes" | "failures" | "discoveries" | "missing_context" | "wished_for_skills";

/** `partial`: the attempt ended without a valid claim (`no_sigil`). */
export type RecordOutcome = "success" | "failure" | "partial";

/**
 * Where an entry was stated: `learning`: a learning of any channel; `report`: the agent's failure report; `facts`: a report
 * that ralph built; `note`; `sigil`: `<missing-context>` or `<wished-skill>`; `extraction`: a model that read the
 * session's log; `import`: a record file.
 */
export type StatedIn = "learning" | "report" | "facts" | "note" | "sigil" | "extraction" | "import";

/** One item of one list. */
export interface RecordEntry {
  readonly list: RecordList;
  /** The pattern, description, missing context or skill. */
  readonly content: RedactedText;
  /** The topic; "" in the last two lists. */
  readonly category: RedactedText;
  /** The lesson of a failure or the source of a discovery; "" for none. */
  readonly supplement: RedactedText;
  readonly reusable: boolean;
  /** When the lesson applies, where it was stated. */
  readonly when?: RedactedText;
  readonly statedIn: StatedIn;
  /** The learning that holds the same text; null: none. */
  readonly learningId: string | null;
}

/** The record of one judged attempt, or of one imported file (LEARN-3). */
export interface LearningRecord {
  readonly id: string;
  readonly taskId: string;
  /** Null for an imported one, like `runId` and `iterationId`. */
  readonly attempt: number | null;
  readonly runId: string | null;
  readonly iterationId: string | null;
  /** ISO 8601. */
  readonly recordedAt: string;
  readonly outcome: RecordOutcome;
  /** True: ralph's own verification passed. Never for an imported one. */
  readonly verified: boolean;
  /** Input, output and cache-write tokens; null: unknown. */
  readonly tokensUsed: number | null;
  readonly durationSeconds: number | null;
  /** The first line of the attempt's error; null: none. */
  readonly error: RedactedText | null;
  /** The task's tags. */
  readonly tags: readonly string[];
  /** The files that the attempt changed and those that the task names. */
  readonly files: readonly string[];
  /** The name of its file in `learnings.dir`. */
  readonly fileName: string;
  /** The file that it was imported from; null: an own attempt. */
  readonly origin: RedactedText | null;
  /** False: imported without `--approve`. */
  readonly approved: boolean;
  readonly entries: readonly RecordEntry[];
}
