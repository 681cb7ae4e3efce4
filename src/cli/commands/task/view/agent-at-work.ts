import { type SafeText, safe } from "../../../../base/safe-text.ts";
import type { Reader } from "../../../../store/db.ts";
import { claimOf } from "../../../../tasks/graph/claim-store.ts";
import { storedText } from "../../../../trust/stored-text.ts";
import { isOwnerAlive } from "../../../project/owner-alive.ts";

/** Says what happens to the agent that works on the task, for a command that takes the task away from it; undefined: none does. */
export async function agentAtWork(q: Reader, id: string): Promise<SafeText | undefined> {
  const claim = await claimOf(q, id);
  if (!claim || !(await isOwnerAlive(claim.owner))) return undefined;
  // A run renews its claims every 15 seconds, and then learns of it.
  return safe`an agent works on ${storedText(id)} in run ${storedText(claim.runId)}: its result will not count, and its session ends within 15 s`;
}

export const stopStep: SafeText = safe`run \`ralph stop\` to stop the whole run`;
