import type { AgentError, AgentResult, AgentTokens } from "../agents/port/agent.ts";
import type { AttemptRef } from "../base/attempt-ref.ts";
import type { RedactedText, SafeText } from "../base/safe-text.ts";
import type { FileChange } from "../workspace/diff.ts";
import type { CannotRun } from "./preflight.ts";

/** The four outcomes of an attempt. Only `done` ends a task. */
export type OutcomeName = "done" | "failed" | "no_sigil" | "error";
export type Verification = "passed" | "failed" | "unverified" | "no_change";
export type ErrorType = "timeout" | "tool_error" | "assertion_failure" | "unknown";

/** The claims of an agent's final message: its interpreted sigils. */
export interface Claims {
  /** The agent claims that this task is done. */
  readonly done: boolean;
  /** The done or failed sigil that does not count, with the reason, as a clause; null: each counts, or there is none. */
  readonly ignoredSigil: string | null;
  readonly failed: boolean;
  /** Why nothing needs to change for the task; null: the agent does not say so. */
  readonly noChangeNeeded: string | null;
  readonly nextModel: RedactedText | null;
  readonly difficulty: Difficulty | null;
  readonly report: ReportedFailure | null;
  readonly retrySuggestion: string | null;
  readonly memory: MemorySigils;
}

/** Sigils for memory and missing context (SIG-3, SIG-6), checked for form only. */
export interface MemorySigils {
  readonly learnings: readonly StatedLearning[];
  readonly notes: readonly StatedNote[];
  readonly verdicts: readonly MemoryVerdict[];
  /** A Markdown checklist that proposes a split of the task. */
  readonly subtasks: string | null;
  readonly missingContext: readonly string[];
  readonly wishedSkills: readonly string[];
}

export interface StatedLearning {
  readonly category: string;
  readonly tags: readonly string[];
  /** Null: neither stated nor derivable from a first tag. */
  readonly topic: string | null;
  readonly text: string;
  /** When it applies, in the words of a future task. */
  readonly when?: string;
  /** The part after the last `: ` of `text`: a failure's lesson or a discovery's source, where it was stated separately. */
  readonly supplement?: string;
}

export type NoteType = "learning" | "stuck" | "tip" | "decision";

export interface StatedNote {
  readonly type: NoteType;
  readonly text: string;
}

/** The agent's rating of a memory from its prompt. */
export interface MemoryVerdict {
  readonly id: string;
  readonly helpful: boolean;
}

export type Difficulty = "trivial" | "easy" | "moderate" | "hard" | "blocked";

/** The content of the agent's `<failure-report>`. */
export interface ReportedFailure {
  readonly whatTried: string;
  readonly whyFailed: string;
  readonly errorCategory: string;
  readonly relevantFiles: readonly string[];
  readonly stackTrace: string;
}

/** The result of one verification command. */
export interface CheckResult {
  readonly command: string;
  readonly passed: boolean;
  /** The reason of a failure: `exit code 1`, `ran no test`, `timed out after 5m`; "" if it passed. */
  readonly reason: string;
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** The reason of its first failure, where it passed when it was repeated; absent: it was not. */
  readonly flaky?: string;
  /** The relevant part of its output (LOOP-6), at most 4,000 characters. */
  readonly excerpt: string;
  /** The reason why it could not be executed; null: it ran. */
  readonly cannotRun: CannotRun | null;
  /** The number of tests that it ran, without skipped ones; absent if its output does not say. */
  readonly testsRun?: number;
}

/** The changes to the project's files in this attempt. Paths are relative to the root. */
export interface WorkDone {
  /** Uncommitted paths that a commit by ralph would include. */
  readonly changedPaths: readonly string[];
  /** Hashes of commits that the agent made itself, oldest first. */
  readonly commits: readonly string[];
  /** All files the attempt touched, committed or not. */
  readonly files: readonly string[];
  /** A person's uncommitted or untracked files that the attempt changed; none of them is in `files`. */
  readonly usersFiles: readonly string[];
  /** Files in submodules that the attempt left uncommitted there; absent: none. */
  readonly inSubmodules?: readonly string[];
  /** New files and folders (`path/`) of the work that no commit holds: secrets, dependencies, caches; absent: none. */
  readonly leftOut?: readonly string[];
  /** The lines that a failed attempt left changed, per file, the first ones; absent if unknown. */
  readonly changes?: readonly FileChange[];
  /** The heads of its hunks, for a success after failures; absent if unknown. */
  readonly hunks?: readonly string[];
  /** True: this attempt or an earlier one of the task left changes. */
  readonly changed: boolean;
  /** Notices for people: a restored guarded file, an edit to a dirty file, changed test configuration. */
  readonly warnings: readonly string[];
  /** The reason why the attempt fails whatever verification says, such as an edit of a forbidden file. */
  readonly forbidden: string | null;
}

/** Facts about the agent's session, besides its message and cost. */
type AgentSession = Pick<
  AgentResult,
  | "model"
  | "sessionId"
  | "stopReason"
  | "costSource"
  | "permissionDenials"
  | "loadedSkills"
  | "contextUsed"
  | "contextSize"
  | "compactions"
>;

/** A judged attempt: data, never an exception. */
export interface Outcome extends AttemptRef {
  readonly agent: string;
  /** The model that answered. */
  readonly model: string;
  /** The model that was asked, if another one answered. */
  readonly askedModel?: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly tokens: AgentTokens | null;
  readonly costUsd: number | null;
  readonly session: AgentSession;
  readonly name: OutcomeName;
  readonly verification: Verification | null;
  readonly errorType: ErrorType | null;
  /** FAIL-3, null when done. */
  readonly category: SafeText | null;
  /** FAIL-5: category and normalised error text, null when done. */
  readonly signature: SafeText | null;
  /** One sentence for people that explains the outcome. */
  readonly reason: string;
  readonly claims: Claims;
  readonly checks: readonly CheckResult[];
  readonly work: WorkDone;
  readonly agentError: AgentError | null;
  readonly finalMessage: string;
  /** Fingerprint of the changes that the attempt left; absent if unknown, and for a first attempt that is done. */
  readonly tree?: string;
  /** True: verified work that does not get along with what landed meanwhile; absent: none. */
  readonly clashed?: true;
  /** The reason why the split that the agent proposed was rejected. */
  readonly splitRefused?: string;
  /** The error output of verification or of the agent, at most 4,000 characters; "" if done. */
  readonly errorExcerpt: string;
}

// The wordings by which later attempts recognize a reason. Here, because memory asks: it needs neither the rules of verification nor those of errors.

/** The beginning of the reason of an attempt that only failed because it weakened what verifies it. */
export const changedVerification = "verification itself was changed: ";

/** Returns true for such a reason. */
export function isGuardRefusal(reason: string): boolean {
  return reason.startsWith(changedVerification);
}

/** The beginning of the reason of an attempt that is done although it changed nothing, as the agent says why. */
export const doneWithoutChange = "done without a change: ";

/** Hooks that judge the message, which is ralph's: no agent can change it. */
export const messageHooks: ReadonlySet<string> = new Set(["prepare-commit-msg", "commit-msg"]);

/** Returns the beginning of the reason of an attempt whose commit message such a hook refused. */
export function refusedMessage(hook: string): string {
  return `the ${hook} hook refused the message of ralph's commit: `;
}

/** Returns true for such a reason. */
export function isMessageRefusal(reason: string): boolean {
  return [...messageHooks].some((hook) => reason.startsWith(refusedMessage(hook)));
}

/** The verdict of a second agent on work that would be committed. `none`: it did not judge. A `pass` proves nothing. */
export interface Review {
  readonly verdict: "pass" | "fail" | "none";
  /** Agent and model. */
  readonly by: string;
  /** The reasons; for `none`, why it did not judge. */
  readonly text: RedactedText;
}

/** Returns the reason of an attempt that this review refused. */
export function refusalReason({ by, text }: Review): string {
  return `${by}${refusal}${text}`;
}

const refusal = " refused it in review: ";

/** Returns true for such a reason. */
export function isRefusal(reason: string): boolean {
  return reason.includes(refusal);
}
