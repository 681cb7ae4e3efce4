import type { SafeText } from "../base/safe-text.ts";

export type ActionName =
  | ("pause" | "resume" | "stop" | "message")
  | "retry"
  | ("approve" | "forget" | "restore" | "edit");

/** An existing command that a person can use, with the words that they would type. */
export interface Action {
  readonly name: ActionName;
  readonly id: SafeText | null;
  readonly command: SafeText;
}

export type RunState = "none" | "running" | "pausing" | "paused" | "stopping" | "killed" | "ended";

/** Something that a person has to decide; `action` is null where a command has to be typed. */
export interface Waiting {
  readonly id: SafeText;
  readonly title: SafeText;
  readonly why: SafeText;
  readonly command: SafeText;
  readonly action: Action | null;
}

/** A learning with its record. */
export interface ShownMemory {
  /** The judgement of the agent that it was shown to. */
  readonly verdict: "helpful" | "harmful" | null;
  readonly id: SafeText;
  readonly text: SafeText;
  readonly shown: number;
  readonly passed: number;
}

/** An iteration that has not ended. */
export interface OpenSlot {
  readonly taskId: SafeText;
  readonly title: SafeText;
  readonly attempt: number;
  /** 0: no limit. */
  readonly maxAttempts: number;
  readonly model: SafeText;
  readonly why: SafeText;
  readonly elapsedMs: number;
  /** The agent's last step or the running verification. */
  readonly step: SafeText | null;
  /** Failed attempts of the task that the prompt shows. */
  readonly failuresShown: number;
  readonly memories: readonly ShownMemory[];
}

/** A judged attempt. */
export interface AttemptLine {
  readonly taskId: SafeText;
  readonly title: SafeText;
  readonly attempt: number;
  readonly at: string;
  readonly model: SafeText;
  readonly done: boolean;
  readonly outcome: SafeText;
  readonly reason: SafeText;
  readonly category: SafeText;
  /** The line of the error that a person reads first, and all of it. */
  readonly headline: SafeText;
  readonly error: SafeText;
  readonly files: readonly SafeText[];
  readonly hint: SafeText;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly estimated: boolean;
  /** The commit of a finished task; null: none. */
  readonly commit: SafeText | null;
  readonly memories: readonly ShownMemory[];
}

interface ModelCosts {
  readonly model: SafeText;
  readonly attempts: number;
  readonly done: number;
  readonly costUsd: number | null;
  readonly estimatedUsd: number;
  readonly perTaskUsd: number | null;
  readonly durationMs: number;
}

export interface TaskNode {
  readonly id: SafeText;
  readonly title: SafeText;
  readonly status: "pending" | "in_progress" | "done" | "blocked" | "failed";
  readonly reason: SafeText;
  readonly depth: number;
  /** Tasks that are not done and come before it. */
  readonly waitsFor: readonly SafeText[];
}

/** A learning as the page shows it. */
export interface MemoryLine extends ShownMemory {
  readonly status: SafeText;
  readonly origin: SafeText;
  /** How often it helped verified work, by an agent's verdict or an error that was gone. */
  readonly helped: number;
  readonly proven: boolean;
  readonly actions: readonly Action[];
}

export interface PastRun {
  readonly id: SafeText;
  readonly name: SafeText;
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly reason: SafeText;
  readonly attempts: number;
  readonly done: number;
  readonly costUsd: number | null;
}

/** The part that only the page and the report show. */
export interface WholeModel {
  readonly tasks: readonly TaskNode[];
  readonly moreTasks: number;
  readonly memories: readonly MemoryLine[];
  readonly memoryCount: number;
  readonly lift: SafeText;
  readonly history: readonly PastRun[];
}

/** All that terminal, page and report show. */
export interface ViewModel {
  readonly project: SafeText;
  readonly now: string;
  readonly run: {
    readonly id: SafeText;
    readonly state: RunState;
    readonly reason: SafeText;
    readonly startedAt: string | null;
    readonly elapsedMs: number;
    readonly branch: SafeText;
  };
  readonly tasks: Readonly<Record<TaskNode["status"] | "total", number>>;
  readonly attempts: readonly AttemptLine[];
  /** Attempts that are not in `attempts`, the oldest. */
  readonly moreAttempts: number;
  readonly cost: {
    readonly usd: number | null;
    readonly estimated: boolean;
    readonly budgetUsd: number | null;
    readonly perTaskUsd: number | null;
  };
  /** Agents that are not called for now. */
  readonly limits: readonly { readonly agent: SafeText; readonly kind: SafeText; readonly until: string }[];
  readonly waits: readonly Waiting[];
  readonly moreWaits: number;
  readonly slots: readonly OpenSlot[];
  /** The work of the run while no attempt is open; empty: none is known. */
  readonly doing: SafeText;
  /** The last warnings of the run. */
  readonly notices: readonly SafeText[];
  readonly models: readonly ModelCosts[];
  /** The commands on the run. */
  readonly actions: readonly Action[];
  readonly whole: WholeModel | null;
}
