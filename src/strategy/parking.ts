import type { Attempt } from "../outcome/outcome-store.ts";

type FailedAttempt = Pick<Attempt, "attempt" | "errorSignature" | "splitRefused" | "tree" | "verification">;

/**
 * Returns the evidence that another attempt would not get further, as a clause for people (STRAT-4); null when there is
 * none. `failures` are the task's failed attempts since its last reset, oldest first. `stuckAfter` 0: no task is ever
 * stuck; the evidence of equal attempts counts regardless.
 */
export function evidenceOfNoProgress(
  failures: readonly FailedAttempt[],
  { stuckAfter }: { readonly stuckAfter: number },
): string | null {
  const last = failures.at(-1);
  const previous = failures.at(-2);
  if (!last || !previous) return null;
  if (last.verification === "no_change" && previous.verification === "no_change") {
    return `attempts ${previous.attempt} and ${last.attempt} ${describeTree(previous.tree === "users-files" ? previous : last)}`;
  }
  const same = failures.slice(0, -1).findLast((earlier) => isRepeated(earlier, last));
  if (same) {
    return `attempts ${same.attempt} and ${last.attempt} ${describeTree(last)} and had the same error`;
  }
  // A refused split is answered in the next prompt.
  const warned = stuckAfter > 0 && failures.length > stuckAfter && last.splitRefused === null;
  if (!warned || !hasSameError(previous, last)) return null;
  return `attempt ${last.attempt} had the same error again, despite the stuck warning in its prompt`;
}

/** Of two attempts without work of their own, one may have changed a person's files: "nothing" would be untrue. */
function describeTree({ tree, verification }: FailedAttempt): string {
  if (tree === "users-files") return "changed nothing but files of yours";
  return tree === "nothing" || verification === "no_change" ? "changed nothing" : "left the same changes";
}

function isRepeated(earlier: FailedAttempt, last: FailedAttempt): boolean {
  return last.tree !== null && earlier.tree === last.tree && hasSameError(earlier, last);
}

function hasSameError(earlier: FailedAttempt, last: FailedAttempt): boolean {
  return last.errorSignature !== null && earlier.errorSignature === last.errorSignature;
}
