import type { Outcome } from "../../outcome/outcome.ts";
import type { Claim, Task } from "../../tasks/graph/task.ts";

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
}
