import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { Reader } from "../../../store/port/db.ts";
import type { ClaimResult } from "../../../tasks/claim-outcome.ts";
import { claimOf } from "../../../tasks/graph/claim-store.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { isOwnerAlive } from "../../project/owner-alive.ts";
import type { Session } from "../../shell/command.ts";
import { printResult } from "../../shell/print-result.ts";

/** Says what happens to the agent that works on the task, for a command that takes the task away from it; undefined: none does. */
export async function agentAtWork(q: Reader, id: string): Promise<SafeText | undefined> {
  const claim = await claimOf(q, id);
  if (!claim || !(await isOwnerAlive(claim.owner))) return undefined;
  // A run renews its claims every 15 seconds, and then learns of it.
  return safe`an agent works on ${storedText(id)} in run ${storedText(claim.runId)}: its result will not count, and its session ends within 15 s`;
}

export const stopStep: SafeText = safe`run \`ralph stop\` to stop the whole run`;

/** Reports that a verdict was recorded only as a claim (LOOP-4). */
export function reportClaim(session: Session, { id, verdict }: ClaimResult): void {
  const then =
    verdict === "done" ? "ralph verifies it when the agent ends" : "ralph records it when the agent ends";
  printResult(
    session,
    { id, claimed: verdict },
    safe`claim recorded: ${storedText(id)} is ${verdict}; ${then}`,
  );
}
