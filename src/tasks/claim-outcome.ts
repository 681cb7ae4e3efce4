import { RalphError } from "../base/errors.ts";
import type { Owner } from "../base/owner.ts";
import type { Reader, Tx } from "../store/port/db.ts";
import { claimOf, markClaimDone, markClaimFailed } from "./graph/claim-store.ts";

/** A report that a task is done or failed. */
export interface ClaimResult {
  readonly id: string;
  readonly verdict: "done" | "failed";
}

/** The reporter of a claim: an agent in an iteration, or a person. */
export interface Actor {
  /** The task of the reporting agent's iteration; undefined if the report does not come from inside an iteration. */
  readonly currentTaskId: string | undefined;
  /** Returns true while the process that holds a claim is alive. */
  readonly isAlive: (owner: Owner) => boolean | Promise<boolean>;
}

/**
 * Records "done" or "failed" with the claim of a run that works on the task; ralph decides when the agent ends (LOOP-4).
 * Returns false, and records nothing, when the report is a person's decision: no run works on the task, or a failure is
 * reported outside an iteration (TASK-9). "Done" from outside an iteration is only a claim too: an agent can unset the
 * variable that identifies it, and a false "done" does more harm than a false "failed". Errors:
 * RALPH_TASK_INSIDE_ITERATION when an agent reports on a task other than its own, RALPH_TASK_NOT_CLAIMED.
 */
export async function recordClaim(tx: Tx, { id, verdict }: ClaimResult, actor: Actor): Promise<boolean> {
  const { currentTaskId } = actor;
  if (currentTaskId !== undefined && currentTaskId !== id) {
    throw new RalphError(
      "RALPH_TASK_INSIDE_ITERATION",
      `cannot mark ${id} as ${verdict}: your current task is ${currentTaskId}`,
      {
        hint: "report what you found about it in your final message",
      },
    );
  }
  if (currentTaskId === undefined && verdict === "failed") return false;
  if (!(currentTaskId === id || (await isInProgress(tx, id, actor)))) return false;
  const recorded = await (verdict === "done" ? markClaimDone : markClaimFailed)(tx, id);
  if (!recorded) {
    throw new RalphError("RALPH_TASK_NOT_CLAIMED", `no run works on ${id} now`, {
      hint: "its iteration has ended; nothing was changed",
    });
  }
  return true;
}

/** Returns true while a live run holds the task. */
export async function isInProgress(
  q: Reader,
  id: string,
  { isAlive }: Pick<Actor, "isAlive">,
): Promise<boolean> {
  const claim = await claimOf(q, id);
  return claim !== undefined && (await isAlive(claim.owner));
}
