import type { CheckResult } from "../../outcome/outcome.ts";

/** The result of the project's verification without any attempt's changes, as far as the run knows it (LOOP-20). */
export interface BaselineState {
  /** `unknown` until it is needed, and again when an error signature stopped two tasks. */
  known: "unknown" | "passes" | "fails";
  /** The command that fails; null: none. */
  failed: CheckResult | null;
  /** True: tasks are attempted although it fails. */
  accepted: boolean;
  /** By error signature: the tasks that it stopped in this run. */
  readonly stopped: Map<string, Set<string>>;
  /** The signature that stopped two tasks and is to be checked against the baseline; null: none. */
  suspect: string | null;
  /** The last task that was done passed the project's verification, which did not fail since: the tree is known to pass. */
  verifiedTree: boolean;
}

export function beginBaseline(): BaselineState {
  return {
    known: "unknown",
    failed: null,
    accepted: false,
    stopped: new Map(),
    suspect: null,
    verifiedTree: false,
  };
}

/** The number of tasks that one error signature stops before it is checked against the baseline. */
const maxStopped = 2;

/** Notes that a task was blocked by attempts that end with this error of the project's verification. */
export function noteStopped(state: BaselineState, signature: string, taskId: string): void {
  const tasks = state.stopped.get(signature) ?? new Set();
  state.stopped.set(signature, tasks.add(taskId));
  if (tasks.size < maxStopped) return;
  state.suspect = signature;
  state.known = "unknown";
}
