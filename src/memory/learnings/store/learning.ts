import { type RedactedText, type SafeText, safe } from "../../../base/safe-text.ts";

/** Maximum lengths in characters (LEARN-1). */
export const lessonChars = 280;
export const detailChars = 1000;
export const whenChars = 160;
/** Maximum learnings that one channel (sigils, tools) stores per iteration. */
export const perIteration = 10;
/** Maximum length of a category or topic. */
export const categoryChars = 60;

/**
 * `stale`: a file that it cites has changed; `superseded`: replaced by a merged one; `pruned`: archived by age or by a
 * person; `quarantined`: imported and waiting for `approve`. Only the first two appear in prompts.
 */
export type LearningStatus = "active" | "stale" | "superseded" | "pruned" | "quarantined";
export const learningStatuses: readonly LearningStatus[] = [
  "active",
  "stale",
  "superseded",
  "pruned",
  "quarantined",
];

/** Who brought it in, the most trusted first. */
export const learningSources = ["person", "agent", "tool", "import", "other-project"] as const;
export type LearningSource = (typeof learningSources)[number];

/** A file that a learning speaks of, as it was then. */
export interface Citation {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  /** `12` or `12-20`; null: the whole file. */
  readonly lines: string | null;
  /** Of the cited lines' text. */
  readonly hash: string;
}

/** How often it was seen, shown and of use: three different counts. Only verified outcomes count (LEARN-6, LEARN-11). */
export interface UseCounts {
  /** How often it was said, itself included. */
  readonly timesSeen: number;
  readonly timesShown: number;
  readonly shownPassed: number;
  readonly shownFailed: number;
  /** Verdicts of agents that succeeded, and errors that it was the known fix of and that were gone afterwards. */
  readonly saidHelpful: number;
  readonly saidHarmful: number;
  /** Tasks whose verified success was shown it, unless their agent called it harmful; those that so far only failed with it. */
  readonly tasksPassed: number;
  readonly tasksFailed: number;
}

/** Where it came from (TRUST-4). */
export interface Provenance {
  readonly source: LearningSource;
  /** The project or file that it was brought in from; null: this project. */
  readonly origin: string | null;
  /** The task's id, which stays when the task goes. */
  readonly task: string | null;
  readonly runId: string | null;
  readonly iterationId: string | null;
  readonly agent: string | null;
  readonly model: string | null;
}

/** One thing learnt. Times are ISO 8601. */
export interface Learning extends UseCounts {
  readonly id: string;
  readonly category: RedactedText;
  readonly lesson: RedactedText;
  readonly detail: RedactedText;
  /** When it applies, in the words of a future task; "" when nobody said so (LEARN-13). */
  readonly when: RedactedText;
  readonly topic: RedactedText | null;
  readonly tags: readonly RedactedText[];
  readonly files: readonly RedactedText[];
  readonly scope: string;
  readonly status: LearningStatus;
  /** The status that a quarantined learning gets on approval. */
  readonly statusBefore: LearningStatus | null;
  /** Restored by a person: automatic maintenance does not archive it again. */
  readonly pinned: boolean;
  readonly citations: readonly Citation[];
  /** The learnings that it was merged from. */
  readonly derivedFrom: readonly string[];
  /** Error signatures that it is a known fix for (FAIL-5). */
  readonly fixes: readonly RedactedText[];
  readonly provenance: Provenance;
  readonly supersededBy: string | null;
  readonly createdAt: string;
  readonly updatedAt: string | null;
  readonly validatedAt: string | null;
  /** When a person confirmed it; null: no person did. */
  readonly provenAt: string | null;
  readonly lastUsedAt: string | null;
  readonly prunedAt: string | null;
}

/** The required fields of a new learning; the others have defaults. */
export interface NewLearning {
  readonly category: SafeText;
  readonly lesson: string;
  readonly detail?: string;
  readonly when?: string;
  readonly topic?: SafeText | null;
  readonly tags?: readonly SafeText[];
  readonly files?: readonly SafeText[];
  readonly scope?: string;
  readonly citations?: readonly Citation[];
  readonly derivedFrom?: readonly string[];
  readonly fixes?: readonly RedactedText[];
  readonly provenance: Provenance;
}

/** The numbers of different tasks by which a lesson is proven, ranked last and withdrawn (LEARN-12). */
const inTasks = { proven: 2, doubted: 2, withdrawn: 4 };

/**
 * Returns true if something but an agent's word speaks for a learning (LEARN-12): a person stated or confirmed it, agents of verified
 * successes called it helpful, or it was in the prompts of verified successes of two tasks, more than agents called it harmful.
 */
export function isProven(learning: TrackRecord): boolean {
  const { saidHelpful, saidHarmful, tasksPassed } = learning;
  return isPersons(learning) || saidHelpful > saidHarmful || tasksPassed >= inTasks.proven + saidHarmful;
}

type TrackRecord = Pick<
  Learning,
  "provenance" | "provenAt" | "saidHelpful" | "saidHarmful" | "tasksPassed" | "tasksFailed"
>;

/** Returns true if a learning was shown and failed in two tasks, and in more than passed with it. */
export function isDoubted(learning: TrackRecord): boolean {
  return failsIn(inTasks.doubted, learning);
}

/** Returns true if no prompt shows a learning until a person looks: it failed in four tasks, and in more than passed with it. */
export function isWithdrawn(learning: TrackRecord): boolean {
  return failsIn(inTasks.withdrawn, learning);
}

function failsIn(tasks: number, learning: TrackRecord): boolean {
  const { tasksFailed, tasksPassed } = learning;
  return !isPersons(learning) && tasksFailed >= tasks && tasksFailed > tasksPassed;
}

/** Returns true if a person stated or confirmed a learning. */
export function isPersons({ provenance, provenAt }: Pick<Learning, "provenance" | "provenAt">): boolean {
  return provenance.source === "person" || provenAt !== null;
}

/** Of what a verified attempt said in its final message, without stating it as a lesson (LEARN-15). */
export const summaryCategory: SafeText = safe`summary`;

/** Returns true for what a verified attempt said in its final message. */
export function isSummary({ category }: Pick<Learning, "category">): boolean {
  return category === summaryCategory;
}

/** Returns true if a learning may appear in a prompt. */
export function isUsable({ status }: Pick<Learning, "status">): boolean {
  return status === "active" || status === "stale";
}
