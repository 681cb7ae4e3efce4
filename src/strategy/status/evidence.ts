import { clip, oneLine } from "../../base/text.ts";
import { firstErrorLine } from "../../outcome/error-line.ts";
import type { Attempt } from "../../outcome/outcome-store.ts";
import { redact } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";

const errorChars = 80;

/**
 * Describes what the latest consecutive failures have in common, as one clause for a warning: the same error, the same changes left
 * behind, or neither. Meeting another error with other changes each time is progress, and is called that.
 */
export function evidenceOf(failures: readonly Attempt[]): string {
  const last = failures.at(-1);
  if (!last) return "";
  const same = consecutive(failures, ({ errorSignature }) => errorSignature);
  const stood = consecutive(failures, ({ tree }) => tree);
  const facts: string[] = [];
  if (same >= 2) facts.push(`the same error ${same} times: ${errorLine(last)}`);
  const left = last.tree === "nothing" ? "changed nothing" : "left the same changes behind";
  if (stood >= 2) facts.push(`attempts ${numbers(failures.slice(-stood))} ${left}`);
  else {
    const before = failures.slice(0, -1).findLast(({ tree }) => tree !== null && tree === last.tree);
    if (before) facts.push(`attempt ${last.attempt} came back to what attempt ${before.attempt} had left`);
  }
  return facts.length > 0 ? facts.join("; ") : "each met another error, so something moves, but not enough";
}

/** How many of the latest share one value; 0 where the last has none. */
function consecutive(attempts: readonly Attempt[], mark: (attempt: Attempt) => string | null): number {
  const last = attempts.at(-1);
  const value = last ? mark(last) : null;
  if (value === null) return 0;
  return attempts.length - 1 - attempts.findLastIndex((attempt) => mark(attempt) !== value);
}

/** `2 and 3`, `2 to 5`. */
function numbers(attempts: readonly Attempt[]): string {
  const [first, last] = [attempts[0]?.attempt, attempts.at(-1)?.attempt];
  return attempts.length === 2 ? `${first} and ${last}` : `${first} to ${last}`;
}

/** The line of its output that names the error, else why it counts as failed. */
function errorLine(attempt: Pick<Attempt, "verificationOutput" | "reason">): string {
  const naming = firstErrorLine(attempt.verificationOutput ?? "") ?? attempt.reason ?? "unknown";
  return clip(oneLine(stripControls(redact(naming))), errorChars);
}
