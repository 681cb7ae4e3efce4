import { wayOutOfGuard } from "../../outcome/judge.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { isMessageRefused } from "../../outcome/refused-commit.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { RunOptions } from "../rows/loop.ts";

/** The reason why a run ended. */
export type StopReason =
  | "done"
  | "failed"
  | "stuck"
  | "max-iterations"
  | "budget"
  | "max-duration"
  | "stopped"
  | "agent-unavailable"
  | "auth"
  | "credit"
  | "not_found"
  | "permission"
  | "unusable"
  | "cannot-verify"
  | "baseline-failed"
  | "git"
  | "commit-failed"
  | "error";

/** The end of a run: `fault` is the error that ended it, null for none. */
export interface RunStop {
  readonly reason: StopReason;
  readonly message: string | null;
  readonly hint: string | null;
  readonly fault: unknown;
}

/** Returns the end of a run without a fault. */
export function stopWith(
  reason: StopReason,
  message: string | null = null,
  hint: string | null = null,
): RunStop {
  return { reason, message, hint, fault: null };
}

/** The progress of a run towards its limits. */
export interface Progress {
  readonly iterations: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
}

/** Returns the limit that `progress` has reached, before the next iteration starts (LOOP-7). */
export function limitReached(
  { limits }: Pick<RunOptions, "limits">,
  progress: Progress,
): StopReason | undefined {
  const { maxIterations, budgetUsd, maxDurationMs } = limits;
  if (maxIterations > 0 && progress.iterations >= maxIterations) return "max-iterations";
  if (budgetUsd !== null && progress.costUsd >= budgetUsd) return "budget";
  if (maxDurationMs !== null && progress.elapsedMs >= maxDurationMs) return "max-duration";
  return undefined;
}

/** Returns the end of a run whose budget cannot hold, as no price is known for the `unpriced` model of an attempt (LOOP-7). */
export function stopForPrice(
  { limits: { budgetUsd } }: Pick<RunOptions, "limits">,
  { unpriced }: { readonly unpriced: string | null },
): RunStop | undefined {
  if (budgetUsd === null || unpriced === null) return undefined;
  const prices = `prices: { ${JSON.stringify(unpriced)}: { input: 2, output: 10, cached: 0.2 } }`;
  return stopWith(
    "budget",
    `no price is known for ${unpriced}, so that the budget of $${budgetUsd} cannot hold`,
    `add its own, in dollars per million tokens, to .ralph/config.yaml: ${prices}`,
  );
}

/** Counts of the tasks that are not done when a run ends. */
export interface GraphState {
  readonly unfinished: number;
  readonly failed: number;
  /** Blocked by the attempt limit or by something missing: a user has to act. */
  readonly needPerson: number;
  /** Blocked, or waiting for a blocked task, for any reason except a failed task. */
  readonly stuck: number;
}

const environment: ReadonlySet<StopReason> = new Set([
  "auth",
  "credit",
  "not_found",
  "permission",
  "unusable",
  "cannot-verify",
  "git",
  "commit-failed",
]);

/** Returns the exit code, by LOOP-14's precedence 5, 4, 1, 3, 0. (70 is the command line's.) */
export function exitCodeFor(reason: StopReason, graph: GraphState): 0 | 1 | 3 | 4 | 5 {
  if (environment.has(reason)) return 5;
  if (reason === "baseline-failed") return 4;
  const isStuck = reason === "stuck" && (graph.stuck > 0 || graph.unfinished === 0);
  if (graph.needPerson > 0 || isStuck) return 4;
  if (graph.failed > 0) return 1;
  return graph.unfinished > 0 ? 3 : 0;
}

/** Returns the stop reason when no task is ready. */
export function exhausted(graph: GraphState): StopReason {
  if (graph.unfinished === 0) return "done";
  return graph.needPerson + graph.stuck > 0 ? "stuck" : "failed";
}

/** Refusals in a row after which a hook is taken to refuse every message: one alone may be about a task's title. */
const maxRefused = 3;

/** Notes a judged attempt in `refused`, the tasks in a row whose commit message a hook refused. */
export function noteMessage(
  refused: string[],
  { task, outcome }: { readonly task: Task; readonly outcome: Outcome },
): void {
  if (task.commitTemplate !== null) return;
  if (isMessageRefused(outcome)) refused.push(task.id);
  else if (outcome.name === "done") refused.length = 0;
}

/**
 * Returns the end of a run in which a hook refuses every message: an attempt at `task` would be paid for, and its work not
 * be committed. Undefined: it may begin.
 */
export function stopForMessages(refused: readonly string[], task: Task): RunStop | undefined {
  if (refused.length < maxRefused || task.commitTemplate !== null) return undefined;
  const message = `a hook refused the commit messages of ${refused.length} tasks in a row, and would refuse the next`;
  const hint = `set commit.template in .ralph/config.yaml to what the hook accepts, such as "feat: {title}", then run: ralph task retry ${refused.join(" ")}`;
  return stopWith("stuck", message, hint);
}

/**
 * Returns the end of a run in which `verifyGuard` refuses an attempt for the reason of the one before: its prompt named the reason, so
 * that no later attempt will mend it. Undefined: the run continues.
 */
export function stopForGuard(state: { refusedBy: string | null }, outcome: Outcome): RunStop | undefined {
  const wayOut = wayOutOfGuard(outcome, outcome.taskId);
  const isRepeated = wayOut !== null && state.refusedBy === outcome.reason;
  state.refusedBy = wayOut === null ? null : outcome.reason;
  return isRepeated
    ? stopWith("stuck", `two attempts in a row ended alike: ${outcome.reason}`, wayOut)
    : undefined;
}
