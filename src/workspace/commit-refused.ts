import { RalphError } from "../base/errors.ts";

/** How a hook refused a commit. */
export interface HookRefusal {
  /** `pre-commit`, `commit-msg`, … */
  readonly hook: string;
  /** Null: it did not end in time. */
  readonly exitCode: number | null;
  /** All that it printed. */
  readonly output: string;
}

/** A hook of the repository refused the commit: a verdict on the work, not trouble of the environment (LOOP-21). */
export class CommitRefused extends RalphError {
  readonly refusal: HookRefusal;

  constructor(message: string, refusal: HookRefusal) {
    super("RALPH_GIT_COMMIT_REFUSED", message, {
      hint: `Run the ${refusal.hook} hook by hand to see why. The changes are still in the tree.`,
    });
    this.refusal = refusal;
  }
}
