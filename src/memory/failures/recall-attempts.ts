import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { isGuardRefusal, isMessageRefusal } from "../../outcome/outcome.ts";
import type { Reader } from "../../store/port/db.ts";
import type { MemoryItem, Recalled, RecallRequest } from "../port/memory-kind.ts";
import { countFailedAttempts, type FailedAttempt, failedAttempts } from "./failure-store.ts";
import { errorOf, fitAttempt, inline, renderAttempt, shortAttempt } from "./render-attempt.ts";

/** More than any budget shows; the count tells of the rest. */
const readAtMost = 30;
const suggestionChars = 500;

/** FAIL-4: what was tried on this very task and failed. Nothing when nothing was. */
export async function recallAttempts(db: Reader, request: RecallRequest): Promise<readonly Recalled[]> {
  if (request.attempt === 1) return [];
  const attempts = await failedAttempts(db, request.task.id, readAtMost);
  if (attempts.length === 0) return [];
  const total = await countFailedAttempts(db, request.task.id);
  return [
    {
      section: "attempts",
      heading: safe`### Previous Attempts`,
      lead: leadOf(attempts, total),
      items: attempts.map((attempt, index) => itemOf(request.task.id, attempts, index, attempt)),
      tail: suggestionOf(attempts),
      drop: "oldest",
    },
  ];
}

const takeAnotherWay = safe`Do not repeat what failed: find out why it did, then take another way.`;
const keepWork = safe`The work of the last attempt passed verification: only the message of its commit was refused, which ralph writes. Keep that work if it is in the working folder; else do it again.`;
const leaveVerification = safe`The commands of verification passed at the last attempt: it failed because it changed what they read. Do the task without that change, and undo it where it is still there. If the task cannot be done without it, report that it failed and name the change: a person decides.`;

function adviceAfter(reason: string): SafeText {
  if (isMessageRefusal(reason)) return keepWork;
  return isGuardRefusal(reason) ? leaveVerification : takeAnotherWay;
}

function leadOf(attempts: readonly FailedAttempt[], total: number): SafeText {
  const advice = adviceAfter(attempts.at(-1)?.reason ?? "");
  const tried = safe`This task was tried ${count(total, "time")} before and is not done. ${advice}`;
  const same = consecutiveSameError(attempts);
  const repeated = safe`**The last ${same} attempts failed with the same error**: what was changed between them did not touch its cause.`;
  const refused = attempts.at(-1)?.splitRefused;
  const notSplit = safe`**The split that attempt ${attempts.at(-1)?.attempt ?? 0} proposed was not made**: ${inline(refused ?? "", 300)}.`;
  return joinSafe([tried, ...(same < 2 ? [] : [repeated]), ...(refused ? [notSplit] : [])], "\n\n");
}

/** How many of the latest attempts share one error signature. */
function consecutiveSameError(attempts: readonly FailedAttempt[]): number {
  const signature = attempts.at(-1)?.signature;
  if (!signature) return 0;
  const other = attempts.findLastIndex((attempt) => attempt.signature !== signature);
  return attempts.length - 1 - other;
}

function itemOf(
  taskId: string,
  attempts: readonly FailedAttempt[],
  index: number,
  attempt: FailedAttempt,
): MemoryItem {
  const view = { attempt, sameErrorAs: lastWithSameError(attempts, index) };
  return {
    id: `failure ${taskId}#${attempt.attempt}`,
    text: renderAttempt(view),
    short: shortAttempt(attempt),
    fit: (room) => fitAttempt(view, room),
    score: 1 / (attempts.length - index),
    reason: "an earlier attempt of this task that failed",
  };
}

/** The attempt that shows the output which the one at `index`, and all between them, ended with as well. */
function lastWithSameError(attempts: readonly FailedAttempt[], index: number): number | null {
  const [first, ...later] = attempts.slice(index);
  const error = first && errorOf(first);
  const end = later.findIndex((attempt) => errorOf(attempt) !== error);
  return (end < 0 ? later : later.slice(0, end)).at(-1)?.attempt ?? null;
}

/** The latest suggestion that any attempt left. */
function suggestionOf(attempts: readonly FailedAttempt[]): SafeText {
  const from = attempts.findLast((attempt) => attempt.retrySuggestion);
  if (!from?.retrySuggestion) return safe``;
  const text = inline(from.retrySuggestion, suggestionChars);
  return text
    ? safe`**Suggestion for this retry, from attempt ${from.attempt}:**\n${safeStart(text)}`
    : safe``;
}

/** The suggestion begins a line: nothing that it starts with may make a heading, a fence or a sigil of it. */
function safeStart(text: SafeText): SafeText {
  return safe`> ${text}`;
}
