import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { firstErrorLine } from "../outcome/error-line.ts";
import type { Attempt } from "../outcome/outcome-store.ts";
import { safeLine } from "../trust/safe-text.ts";

const errorChars = 80;

/**
 * Describes what the latest consecutive failures have in common, as one clause for a warning: the same error, the same changes left
 * behind, or neither.
 */
export function evidenceOf(failures: readonly Attempt[]): SafeText {
  const last = failures.at(-1);
  if (!last) return safe``;
  const same = consecutive(failures, ({ errorSignature }) => errorSignature);
  const stood = consecutive(failures, ({ tree }) => tree);
  const facts: SafeText[] = [];
  if (same >= 2) facts.push(safe`the same error ${same} times: ${errorLine(last)}`);
  if (stood >= 2) facts.push(safe`attempts ${numbers(failures.slice(-stood))} ${describeTree(last)}`);
  else {
    const before = failures.slice(0, -1).findLast(({ tree }) => tree !== null && tree === last.tree);
    if (before)
      facts.push(safe`attempt ${last.attempt} came back to what attempt ${before.attempt} had left`);
  }
  return facts.length > 0 ? joinSafe(facts, "; ") : otherErrors(failures, last);
}

function describeTree({ tree }: Attempt): SafeText {
  if (tree === "users-files") return safe`changed nothing but files of the user`;
  return tree === "nothing" ? safe`changed nothing` : safe`left the same changes behind`;
}

/** Describes failures of which the last has another error than the one before it. */
function otherErrors(failures: readonly Attempt[], last: Attempt): SafeText {
  const before = failures
    .slice(0, -1)
    .findLast(({ errorSignature }) => errorSignature !== null && errorSignature === last.errorSignature);
  if (before) return safe`attempt ${last.attempt} met the error of attempt ${before.attempt} again`;
  const signatures = failures.flatMap(({ errorSignature }) => errorSignature ?? []);
  if (new Set(signatures).size === signatures.length) return safe`each with another error`;
  return safe`attempt ${last.attempt} met another error than attempt ${last.attempt - 1}`;
}

/** How many of the latest share one value; 0 where the last has none. */
function consecutive(attempts: readonly Attempt[], mark: (attempt: Attempt) => string | null): number {
  const last = attempts.at(-1);
  const value = last ? mark(last) : null;
  if (value === null) return 0;
  return attempts.length - 1 - attempts.findLastIndex((attempt) => mark(attempt) !== value);
}

/** `2 and 3`, `2 to 5`. */
function numbers(attempts: readonly Attempt[]): SafeText {
  const [first, last] = [attempts[0]?.attempt ?? 0, attempts.at(-1)?.attempt ?? 0];
  return attempts.length === 2 ? safe`${first} and ${last}` : safe`${first} to ${last}`;
}

/** The line of its output that names the error, else why it counts as failed. */
function errorLine(attempt: Pick<Attempt, "verificationOutput" | "reason">): SafeText {
  const naming = firstErrorLine(attempt.verificationOutput ?? "") ?? attempt.reason ?? "unknown";
  return safeLine(naming, errorChars);
}
