import { RalphError } from "../../../base/errors.ts";
import type { Reader, Tx } from "../../../store/db.ts";
import { claimSaysDone, claimSaysFailed, listClaims } from "../../../tasks/claim-store.ts";
import type { Session } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { iterationTask } from "./inside-iteration.ts";

interface Word {
  readonly id: string;
  readonly verdict: "done" | "failed";
}

/**
 * `ralph task done|fail` of a task that a run works on: noted with its claim, for ralph to judge when the agent ends
 * (LOOP-4). False when the word is a person's: no run works on it, or it is typed outside an iteration that it failed
 * (TASK-9). That it is done is only a claim there too: an agent can unset a variable, and a false done is worse than a
 * false fail. RALPH_TASK_INSIDE_ITERATION when an agent speaks of another task than its own.
 */
export async function sayOfClaim(session: Session, tx: Tx, said: Word): Promise<boolean> {
  const { id, verdict } = said;
  const mine = iterationTask();
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
  if (!(mine === id || (await isWorkedOn(tx, id)))) return false;
  const noted = await (verdict === "done" ? claimSaysDone : claimSaysFailed)(tx, id);
  if (!noted) {
    throw new RalphError("RALPH_TASK_NOT_CLAIMED", `no run works on ${id} any more`, {
      hint: "its iteration has ended; nothing was changed",
    });
  }
  const then =
    verdict === "done" ? "ralph verifies it when the agent ends" : "ralph records it when the agent ends";
  if (session.json) session.out(jsonLine({ id, claimed: verdict }));
  else session.out(`noted: ${id} is said to be ${verdict}; ${then}`);
  return true;
}

/** Whether a living run holds the task. */
export async function isWorkedOn(q: Reader, id: string): Promise<boolean> {
  const claim = (await listClaims(q)).find(({ taskId }) => taskId === id);
  if (!claim) return false;
  const { ownerIsAlive } = await import("../../../agents/supervision.ts");
  return ownerIsAlive(claim.owner);
}
