import { join } from "node:path";
import type { SafeText } from "../../../base/safe-text.ts";
import type { RunRow } from "../../../loop/run-store.ts";
import type { ProjectKey } from "../../../trust/project-key.ts";
import type { Project, Session } from "../../shell/command.ts";

/**
 * Returns true when ralph was killed while an agent worked. The run that holds the project is known outside of it; only where it
 * is not, `known` tells whether a run is active.
 */
export async function wasKilledAtWork(
  key: Pick<ProjectKey, "readWork" | "readWorkOwner" | "readHolder">,
  known: () => Promise<readonly RunRow[]> = async () => [],
): Promise<boolean> {
  if (key.readWork() === null) return false;
  const { ownerIsAlive } = await import("../../../agents/supervision.ts");
  const worker = key.readWorkOwner();
  if (worker !== null) return !ownerIsAlive(worker);
  const holder = key.readHolder();
  const owners = holder ? [holder.owner] : (await known()).map(({ owner }) => owner);
  return !owners.some(ownerIsAlive);
}

/**
 * Where ralph was killed while an agent worked, puts back what the agent wrote into the store past ralph, before a command reads
 * it or writes a row again. Returns a warning for each row. The next run, which ends what is left of the agent, does so once more.
 */
export async function revertAfterKill(
  { clock }: Pick<Session, "clock">,
  { root, db, log, key }: Pick<Project, "root" | "db" | "log"> & { readonly key: ProjectKey },
): Promise<readonly SafeText[]> {
  if (key.readWork() === null) return [];
  const { endPlantedRuns, openRuns } = await import("../../../loop/run-store.ts");
  // The run itself compares when its agent ends.
  if (!(await wasKilledAtWork(key, () => openRuns(db)))) return [];
  const { ownerIsAlive } = await import("../../../agents/supervision.ts");
  const { revertToLog } = await import("../../../events/revert-tampering.ts");
  const { storedText } = await import("../../../trust/stored-text.ts");
  const warnings = await revertToLog({ db, log, clock, folder: join(root, ".ralph") }, null);
  const isPlanted = ({ owner }: RunRow): boolean => ownerIsAlive(owner);
  const now = clock.now();
  const planted = (await openRuns(db)).some(isPlanted)
    ? await db.transaction((tx) => endPlantedRuns(tx, isPlanted, now))
    : [];
  return [...warnings, ...planted].map((warning) => storedText(warning));
}
