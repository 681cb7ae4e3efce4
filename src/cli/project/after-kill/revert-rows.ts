import { join } from "node:path";
import type { SafeText } from "../../../base/safe-text.ts";
import type { RunRow } from "../../../loop/run-store.ts";
import type { Db } from "../../../store/db.ts";
import type { ProjectKey } from "../../../trust/project-key.ts";
import type { Project, Session } from "../../shell/command.ts";
import { keepStore } from "./replaced-store.ts";

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

interface Opened extends Pick<Project, "root" | "db" | "log"> {
  readonly key: ProjectKey;
  /** True where another file is in the store's place. */
  readonly isReplaced: boolean;
  /** Where a copy of the files is that may be a person's (`copyFound`); null: there is none. */
  readonly keptIn: string | null;
}

/**
 * Where ralph was killed while an agent worked, or another file is in the store's place, puts back what nobody wrote with ralph,
 * before a command reads it or writes a row again. Returns a warning for each row. The next run, which ends what is left of a killed
 * run's agent, does so once more. Takes the file for the project's store from then on, unless the log does not show its rows.
 */
export async function revertAfterKill(
  { clock }: Pick<Session, "clock">,
  { root, db, log, key, isReplaced, keptIn }: Opened,
): Promise<readonly SafeText[]> {
  const open = async (): Promise<readonly RunRow[]> =>
    (await import("../../../loop/run-store.ts")).openRuns(db);
  // While an agent works, its run compares when it ends.
  const isDue = key.readWork() === null ? isReplaced : await wasKilledAtWork(key, open);
  if (!isDue) {
    // The agent at work could have put it there.
    if (key.readWork() === null) keepStore(key, db.location);
    if (keptIn !== null) await aboutFound({ root, key, db, keptIn }, false);
    return [];
  }
  const { endPlantedRuns, openRuns } = await import("../../../loop/run-store.ts");
  const { ownerIsAlive } = await import("../../../agents/supervision.ts");
  const { revertToLog } = await import("../../../events/revert-tampering.ts");
  const { storedText } = await import("../../../trust/stored-text.ts");
  const { warnings, fault } = await revertToLog({ db, log, clock, folder: join(root, ".ralph") }, null);
  if (fault === null) keepStore(key, db.location);
  const hasRestored = warnings.length > 0 && fault === null;
  if (hasRestored) await recreateIndexOf(db);
  const found = keptIn === null ? [] : await aboutFound({ root, key, db, keptIn }, hasRestored);
  const isPlanted = ({ owner }: RunRow): boolean => ownerIsAlive(owner);
  const now = clock.now();
  const planted = (await openRuns(db)).some(isPlanted)
    ? await db.transaction((tx) => endPlantedRuns(tx, isPlanted, now))
    : [];
  return [...found, ...warnings, ...planted].map((warning) => storedText(warning));
}

/** The search index has the words of the rows as they were. */
async function recreateIndexOf(db: Db): Promise<void> {
  const { recreateIndex } = await import("../../../memory/repair-index.ts");
  // `ralph doctor` names an incomplete index.
  await recreateIndex(db).catch(() => undefined);
}

async function aboutFound(
  { root, key, db, keptIn }: Pick<Opened, "root" | "key" | "db"> & { readonly keptIn: string },
  hasRestored: boolean,
): Promise<readonly string[]> {
  const { explainFound, removeFound } = await import("./found-files.ts");
  if (hasRestored) return [await explainFound({ root, key }, db.location, keptIn)];
  removeFound(keptIn);
  return [];
}
