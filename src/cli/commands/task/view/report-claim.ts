import { safe } from "../../../../base/safe-text.ts";
import { attemptCounts } from "../../../../outcome/outcome-store.ts";
import type { ClaimResult } from "../../../../tasks/claim-outcome.ts";
import { openTaskActions, type TaskActions } from "../../../../tasks/task-actions.ts";
import { storedJson, storedText } from "../../../../trust/stored-text.ts";
import { beginningOf, currentIteration } from "../../../project/current-iteration.ts";
import type { Project, Session } from "../../../shell/command.ts";
import { isOwnerAlive } from "../../../trust/active-runs.ts";

/** Returns the task actions for whoever typed the command: a person, or the agent of an iteration. */
export async function taskActionsOf(
  session: Session,
  { db, root }: Pick<Project, "db" | "root">,
): Promise<TaskActions> {
  const iteration = await currentIteration(db);
  const actor = { currentTaskId: iteration?.taskId, isAlive: isOwnerAlive };
  const now = (): Date => session.clock.now();
  return openTaskActions({ db, root, now, actor, attemptCounts, began: await beginningOf(db, iteration) });
}

/** Reports that a verdict was recorded only as a claim (LOOP-4). */
export function reportClaim(session: Session, { id, verdict }: ClaimResult): void {
  const then =
    verdict === "done" ? "ralph verifies it when the agent ends" : "ralph records it when the agent ends";
  if (session.json) session.out(storedJson({ id, claimed: verdict }));
  else session.out(safe`claim recorded: ${storedText(id)} is ${verdict}; ${then}`);
}
