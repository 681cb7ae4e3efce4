import type { Owner } from "../../../../base/owner.ts";
import { safe } from "../../../../base/safe-text.ts";
import { attemptCounts } from "../../../../outcome/outcome-store.ts";
import type { ClaimResult } from "../../../../tasks/claim-outcome.ts";
import { openTaskActions, type TaskActions } from "../../../../tasks/task-actions.ts";
import { storedJson, storedText } from "../../../../trust/stored-text.ts";
import type { Project, Session } from "../../../shell/command.ts";
import { iterationTask } from "../input/inside-iteration.ts";

/** Returns the task actions for whoever typed the command: a person, or the agent of an iteration. */
export function taskActionsOf(session: Session, { db, root }: Project): TaskActions {
  const actor = { currentTaskId: iterationTask(), isAlive: isOwnerAlive };
  return openTaskActions({ db, root, now: () => session.clock.now(), actor, attemptCounts });
}

/** Reports that a verdict was recorded only as a claim (LOOP-4). */
export function reportClaim(session: Session, { id, verdict }: ClaimResult): void {
  const then =
    verdict === "done" ? "ralph verifies it when the agent ends" : "ralph records it when the agent ends";
  if (session.json) session.out(storedJson({ id, claimed: verdict }));
  else session.out(safe`claim recorded: ${storedText(id)} is ${verdict}; ${then}`);
}

/** Loads process supervision on demand, because few commands need it. */
export async function isOwnerAlive(owner: Owner): Promise<boolean> {
  const { ownerIsAlive } = await import("../../../../agents/supervision.ts");
  return ownerIsAlive(owner);
}
