import { join } from "node:path";
import type { SafeText } from "../../base/safe-text.ts";
import type { Project, Session } from "../shell/command.ts";

/**
 * Where ralph was killed while an agent worked, puts back what the agent wrote into the store past ralph, before a command reads
 * it or writes a row again. Returns a warning for each row. The next run, which ends what is left of the agent, does so once more.
 */
export async function revertAfterKill(
  { clock }: Pick<Session, "clock">,
  { root, db, log }: Pick<Project, "root" | "db" | "log">,
): Promise<readonly SafeText[]> {
  if (log.head.work() === null) return [];
  const { openRuns } = await import("../../loop/run-store.ts");
  const { ownerIsAlive } = await import("../../agents/supervision.ts");
  // The run itself compares when its agent ends.
  if ((await openRuns(db)).some(({ owner }) => ownerIsAlive(owner))) return [];
  const { revertToLog } = await import("../../events/revert-tampering.ts");
  const { storedText } = await import("../../trust/stored-text.ts");
  const warnings = await revertToLog({ db, log, clock, folder: join(root, ".ralph") }, null);
  return warnings.map((warning) => storedText(warning));
}
