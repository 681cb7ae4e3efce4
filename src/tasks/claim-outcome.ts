import { RalphError } from "../base/errors.ts";
import type { Owner } from "../base/owner.ts";
import type { Reader, Tx } from "../store/db.ts";
import { claimSaysDone, claimSaysFailed, listClaims } from "./claim-store.ts";

/** What somebody says of a task. */
export interface ClaimResult {
  readonly id: string;
  readonly verdict: "done" | "failed";
}

/** Who says it. */
export interface Actor {
  /** The task of the iteration whose agent speaks; undefined: nobody says that it is an agent's. */
  readonly mine: string | undefined;
  /** Whether the process that holds a claim still lives. */
  readonly isAlive: (owner: Owner) => boolean | Promise<boolean>;
}

/**
 * A done or failed of a task that a run works on: noted with its claim, for ralph to judge when the agent ends
 * (LOOP-4). False when the word is a person's: no run works on it, or it is said outside an iteration that it failed
 * (TASK-9). That it is done is only a claim there too: an agent can unset a variable, and a false done is worse than a
 * false fail. RALPH_TASK_INSIDE_ITERATION when an agent speaks of another task than its own.
 */
export async function recordClaim(tx: Tx, { id, verdict }: ClaimResult, speaker: Actor): Promise<boolean> {
  const { mine } = speaker;
  if (mine !== undefined && mine !== id) {
    throw new RalphError(
      "RALPH_TASK_INSIDE_ITERATION",
      `the agent at work on ${mine} cannot say that ${id} is ${verdict}`,
      {
        hint: "say in your final message what you found out about it",
      },
    );
  }
  if (mine === undefined && verdict === "failed") return false;
  if (!(mine === id || (await isInProgress(tx, id, speaker)))) return false;
  const noted = await (verdict === "done" ? claimSaysDone : claimSaysFailed)(tx, id);
  if (!noted) {
    throw new RalphError("RALPH_TASK_NOT_CLAIMED", `no run works on ${id} any more`, {
      hint: "its iteration has ended; nothing was changed",
    });
  }
  return true;
}

/** Whether a living run holds the task. */
export async function isInProgress(
  q: Reader,
  id: string,
  { isAlive }: Pick<Actor, "isAlive">,
): Promise<boolean> {
  const claim = (await listClaims(q)).find(({ taskId }) => taskId === id);
  return claim !== undefined && (await isAlive(claim.owner));
}
