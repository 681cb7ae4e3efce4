import type { RunOptions } from "../loop.ts";

/** Why a run ended. */
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
  | "git"
  | "commit-failed"
  | "error";

/** How far a run has come. */
export interface Progress {
  readonly iterations: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
}

/** The limit that `progress` has reached, before the next iteration starts (LOOP-7). */
export function limitReached(options: RunOptions, progress: Progress): StopReason | undefined {
  const { maxIterations, budgetUsd, maxDurationMs } = options;
  if (maxIterations > 0 && progress.iterations >= maxIterations) return "max-iterations";
  if (budgetUsd !== null && progress.costUsd >= budgetUsd) return "budget";
  if (maxDurationMs !== null && progress.elapsedMs >= maxDurationMs) return "max-duration";
  return undefined;
}

/** What the graph looks like when a run ends. */
export interface GraphState {
  readonly unfinished: number;
  readonly failed: number;
  /** Blocked by the attempts cap or by something missing: a person is needed whatever else is left. */
  readonly needPerson: number;
  /** Blocked, or waiting on something blocked, for any reason but a failed task. */
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

/** The exit code, by LOOP-14's precedence 5, 4, 1, 3, 0 (70 is the command line's). `ready`: work could go on. */
export function exitCodeFor(reason: StopReason, graph: GraphState): 0 | 1 | 3 | 4 | 5 {
  if (environment.has(reason)) return 5;
  if (graph.needPerson > 0 || (reason === "stuck" && graph.stuck > 0)) return 4;
  if (graph.failed > 0) return 1;
  return graph.unfinished > 0 ? 3 : 0;
}

/** The reason when no task is ready any more. */
export function exhausted(graph: GraphState): StopReason {
  if (graph.unfinished === 0) return "done";
  return graph.needPerson + graph.stuck > 0 ? "stuck" : "failed";
}
