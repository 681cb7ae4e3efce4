import type { Agent, AgentErrorKind, AgentRequest } from "../../agents/port/agent.ts";
import type { Prompt } from "../../context/prompt.ts";
import type { CheckResult, Outcome } from "../../outcome/outcome.ts";
import type { AttemptPlan } from "../../strategy/plan-attempt.ts";
import type { Claim, Task } from "../../tasks/graph/task.ts";
import type { DiffSize } from "../../workspace/commit.ts";
import type { IterationRow } from "./iteration-store.ts";
import type { HeldState } from "./workspace-state.ts";

/** Agent and model of a task's next attempt. */
export type Plan = AttemptPlan<Agent>;

/** The prompt of a task's next attempt. */
export interface AttemptPrompt {
  readonly attempt: number;
  /** Number of the iteration within the run, from 1. */
  readonly number: number;
  readonly prompt: Prompt;
  /** The seed of the prompt's fences. */
  readonly seed: string;
  /** Null: the agent has none. */
  readonly journal: AgentRequest["journal"];
}

/** The state of a run as an iteration begins. */
export interface Turn {
  /** Of the iteration within the run, from 1. */
  readonly number: number;
  /** Consecutive interruptions of the agent before it. */
  readonly interruptions: number;
  /** Milliseconds until the run's deadline; null: it has none. */
  readonly remainingMs: number | null;
  /** The tasks that had a fault of the agent: a second one of a task is judged. */
  readonly faultyTasks: ReadonlySet<string>;
  /** The command of the project's verification that fails before the attempt; null: none that is known. */
  readonly failedBefore: CheckResult | null;
}

/** An iteration that has begun: its row, and what its steps need. */
export interface Iteration extends IterationRow, Turn {
  readonly task: Task;
  readonly claim: Claim;
  readonly agent: Agent;
  readonly prompt: Prompt;
  readonly journal: AgentRequest["journal"];
  readonly state: HeldState;
  /** Names the changes that were in the tree before its agent. */
  readonly changesBefore: string;
  /** Aborted when the claim is no longer this run's. */
  readonly leaseLost: AbortSignal;
  /** When it began, by the monotonic clock: `startedAt` is no measure once the wall clock was set. */
  readonly startedMs: number;
}

/** The reason why an iteration ended without costing an attempt. */
export interface Interruption {
  readonly kind: AgentErrorKind | "deadline" | "crashed" | "cannot-verify";
  readonly message: string;
  readonly hint: string | null;
  readonly resetAt: string | null;
  /** The limit applies only to the models of this name. */
  readonly limitedModel?: string | null;
  /** Known only by words that the agent printed. */
  readonly byWords?: boolean;
  /** The agent's own fault, which changed nothing: the first of a task costs it no attempt (LOOP-26). */
  readonly isFault?: boolean;
  /** Only a person can remove its cause, which is the task's: the task is blocked, and the run continues. */
  readonly blocksTask?: boolean;
}

/** A judged attempt with everything needed to record it: plain data, stored beside its pending commit. */
export interface Verdict {
  readonly outcome: Outcome;
  /** The iteration's number within its run. */
  readonly number: number;
  /** The task as the iteration began. */
  readonly task: Task;
  readonly claim: Claim;
  /** True: the prompt asked for a split, as the task is stuck (STRAT-4). */
  readonly maySplit: boolean;
  /** How to give the agent more permissions. */
  readonly permissionHint: string | null;
  /** The instruction for a person, as no further attempt can succeed; absent: an attempt may. */
  readonly wayOut?: string;
  /** The size of the committed difference; absent: there is no commit. */
  readonly size?: DiffSize;
}
