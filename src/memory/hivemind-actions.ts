import type { Db, Reader } from "../store/port/db.ts";
import { countEntries } from "./hivemind/entry-store.ts";
import type { HivemindCollection as Collection } from "./hivemind/hivemind-collection.ts";
import { type HivemindStatus as Status, hivemindStatus as statusOf } from "./hivemind/hivemind-status.ts";
import {
  fromOf as from,
  markOf as mark,
  originOf as origin,
  type RecordView,
} from "./hivemind/record-view.ts";
import type { SharedMemory } from "./hivemind/shared-memory.ts";
import { readHealth } from "./port/health-store.ts";
import {
  type ProjectOrigin as Origin,
  swarmPlace as place,
  type HivemindSettings as Settings,
} from "./port/hivemind-settings.ts";

/** The records of the hivemind, for the commands of `ralph memory`. */
export type HivemindCollection = Collection;
/** A record of the hivemind as people see it. */
export type HivemindRecord = RecordView;
/** `project ledger, 12d ago`. */
export const fromOf: (record: HivemindRecord) => string = from;
/** The decision of the project on a record, for people; "" for none. */
export const markOf: (record: Pick<HivemindRecord, "mark">) => string = mark;
/** Where a record is from and what the project knows of it. */
export const originOf: (record: HivemindRecord) => string = origin;
/** `HivemindSettings.path` where the program `swarm` keeps the records. */
export const swarmPlace: string = place;
/** The memory that projects share. */
export type HivemindSettings = Settings;
/** The project, as other projects may know it. */
export type ProjectOrigin = Origin;
/** The state of the memory that projects share. */
export type HivemindStatus = Status;

/** Returns how the hivemind at `path` is. Only reads. */
export async function hivemindStatus(q: Reader, path: string): Promise<HivemindStatus> {
  return statusOf(q, path);
}

/** Returns how many records wait to be deleted in the hivemind, and the error of its last use; null: it succeeded, or there was none. */
export async function leavingRecords(
  q: Reader,
): Promise<{ readonly count: number; readonly problem: string | null }> {
  const [{ leaving }, { error }] = [await countEntries(q), await readHealth(q, "hivemind")];
  return { count: leaving, problem: error };
}

/** The actions of people on the memory that projects share. `RALPH_HIVEMIND_UNAVAILABLE` when it cannot be used now. */
interface HivemindActions {
  /** Stores a learning of this project in it. @throws RalphError `RALPH_MEMORY_UNKNOWN`, `RALPH_HIVEMIND_FOREIGN` */
  share(id: string): Promise<SharedMemory>;
  /** Deletes a learning of this project from it, permanently. Returns true if it was there. @throws RalphError `RALPH_MEMORY_UNKNOWN` */
  unshare(id: string): Promise<boolean>;
  /** Approves records of other projects for this one. @throws RalphError `RALPH_MEMORY_UNKNOWN` */
  approve(ids: readonly string[]): Promise<readonly SharedMemory[]>;
}

/** Opens the memory that projects share for the commands of one project. */
export async function openHivemindActions({
  db,
  hivemind,
  now,
}: {
  readonly db: Db;
  readonly hivemind: HivemindSettings;
  readonly now: () => Date;
}): Promise<HivemindActions> {
  // On demand: `ralph status` needs the counts only.
  const { approveForeign, shareLearning, unshareLearning } = await import("./hivemind/manage-hivemind.ts");
  const place = () => ({ db, hivemind, now: now() });
  return {
    share: (id) => shareLearning(place(), id),
    unshare: (id) => unshareLearning(place(), id),
    approve: (ids) => approveForeign(place(), ids),
  };
}

/** Opens the hivemind as a collection of `ralph memory`. `db`: the project whose decisions count; null outside a project. */
export async function openHivemindCollection(setup: {
  readonly hivemind: HivemindSettings;
  readonly db: Db | null;
  readonly now: () => Date;
}): Promise<HivemindCollection> {
  return (await import("./hivemind/hivemind-collection.ts")).openCollection(setup);
}
