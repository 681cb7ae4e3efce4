import type { AgentError, AgentResult, AgentTokens } from "../agents/agent.ts";
import type { CannotRun } from "./preflight.ts";

/** Seed 1's four outcomes. Only `done` ends a task. */
export type OutcomeName = "done" | "failed" | "no_sigil" | "error";
export type Verification = "passed" | "failed" | "unverified" | "no_change";
export type ErrorType = "timeout" | "tool_error" | "assertion_failure" | "unknown";

/** What the agent said in its final message, meaning given to its sigils. */
export interface Claims {
  /** It says that this very task is done (never true for another task's id). */
  readonly done: boolean;
  /** Why the done sigil of the message does not count (`it names "t-9", not "t-1"`); null: it does, or there is none. */
  readonly doneIgnored: string | null;
  readonly failed: boolean;
  readonly nextModel: string | null;
  readonly difficulty: Difficulty | null;
  readonly report: ReportedFailure | null;
  readonly retrySuggestion: string | null;
  readonly memory: MemorySigils;
}

/** What the agent wants kept or knows to be missing (SIG-3, SIG-6), checked for form only. */
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
  /** Null: neither said nor to be had from a first tag. */
  readonly topic: string | null;
  readonly text: string;
}

export type NoteType = "learning" | "stuck" | "tip" | "decision";

export interface StatedNote {
  readonly type: NoteType;
  readonly text: string;
}

/** Whether a memory that the prompt showed was of use. */
export interface MemoryVerdict {
  readonly id: string;
  readonly helpful: boolean;
}

export type Difficulty = "trivial" | "easy" | "moderate" | "hard" | "blocked";

/** The agent's own `<failure-report>`. */
export interface ReportedFailure {
  readonly whatTried: string;
  readonly whyFailed: string;
  readonly errorCategory: string;
  readonly relevantFiles: readonly string[];
  readonly stackTrace: string;
}

/** One verification command, run. */
export interface CheckResult {
  readonly command: string;
  readonly passed: boolean;
  /** Why not, in words: `exit code 1`, `ran no test`, `timed out after 5m`. */
  readonly reason: string;
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** What matters of its output (LOOP-6), at most 4,000 characters. */
  readonly excerpt: string;
  /** It was not executed at all; null: it ran. */
  readonly cannotRun: CannotRun | null;
}

/** What became of the project's files in this attempt. Paths relative to the root. */
export interface WorkDone {
  /** Not yet committed: what a commit of ralph's would take in. */
  readonly changedPaths: readonly string[];
  /** Hashes of commits that the agent made itself, oldest first. */
  readonly commits: readonly string[];
  /** All files the attempt touched, committed or not. */
  readonly files: readonly string[];
  /** True: this attempt or an earlier one of the task left something changed. */
  readonly changed: boolean;
  /** What a person should know: a guarded file put back, an edit to a dirty file, changed test configuration. */
  readonly warnings: readonly string[];
  /** Set when the attempt cannot count whatever verification says (it edited a file it must not). */
  readonly forbidden: string | null;
}

/** What the agent told of its session, besides what it said and spent. */
type AgentSession = Pick<
  AgentResult,
  "model" | "sessionId" | "stopReason" | "costSource" | "permissionDenials"
>;

/** An attempt, judged: data, never an exception. */
export interface Outcome {
  readonly taskId: string;
  readonly runId: string;
  readonly iterationId: string;
  readonly attempt: number;
  readonly agent: string;
  readonly model: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly tokens: AgentTokens | null;
  readonly costUsd: number | null;
  readonly session: AgentSession;
  readonly name: OutcomeName;
  readonly verification: Verification | null;
  readonly errorType: ErrorType | null;
  /** FAIL-3, null when done. */
  readonly category: string | null;
  /** FAIL-5: category and normalised error text, null when done. */
  readonly signature: string | null;
  /** One sentence for people: why it counts as it does. */
  readonly reason: string;
  readonly claims: Claims;
  readonly checks: readonly CheckResult[];
  readonly work: WorkDone;
  readonly agentError: AgentError | null;
  readonly finalMessage: string;
  /** What the attempt left changed, as a name for that state; absent when done, or unknown. */
  readonly tree?: string;
  /** Why the split that the agent proposed was not made. */
  readonly splitRefused?: string;
  /** What the failing part of verification, or of the agent's own end, said: at most 4,000 characters; "" when done. */
  readonly errorExcerpt: string;
}
