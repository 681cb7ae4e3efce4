import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, RalphError, systemCode } from "../../base/errors.ts";
import { nameSome } from "../../base/text.ts";
import { compareWithLog, restoreFromLog } from "../../events/revert-tampering.ts";
import { recreateIndex } from "../../memory/repair-index.ts";
import type { Db } from "../../store/db.ts";
import { openStore } from "../../store/open-store.ts";
import type { ProjectKey } from "../../trust/project-key.ts";
import { type Check, failed, passed } from "./check.ts";
import { keepDamagedCopy } from "./repair-store.ts";

interface Place {
  /** The project's folder. */
  readonly root: string;
  readonly path: string;
  /** `.ralph/events.jsonl`, which has no fault. */
  readonly history: string;
  readonly key: ProjectKey;
}

const check = "rows";

/** The names of rows that differ from the log's; `fault`: why that is unknown, null when they were compared. */
type Compared = Awaited<ReturnType<typeof compareWithLog>>;

/**
 * Compares each row of tasks and memory with the one that the event log rebuilds: SQLite keeps no checksums, so a changed letter is
 * no damage that it finds.
 */
export async function checkRows(db: Db, place: Place): Promise<Check> {
  return describeRows(await compareRows(db, place));
}

/** Compares as `checkRows` does. */
export async function compareRows(db: Db, place: Place): Promise<Compared> {
  // Before the first event is written there is none.
  if (!existsSync(place.history)) return { rows: [], fault: nothingYet };
  return compareWithLog(db, logPlace(place)).catch(cannotCompare);
}

const nothingYet = "nothing to compare yet";

function describeRows({ rows, fault }: Compared): Check {
  if (fault === nothingYet) return passed({ check, detail: nothingYet });
  if (fault !== null) return passed({ check, detail: `not compared with the event log: ${fault}` });
  if (rows.length === 0) return passed({ check, detail: "as the event log says" });
  const detail = `changed by damage or another program: ${nameSome(rows)}`;
  const hint =
    "run `ralph doctor --repair`, which keeps a copy of the store and restores them from the event log";
  return failed({ check, detail }, hint);
}

/** Restores rows that differ from those of the event log, after copying the store. This process must not have the store open. */
export async function repairRows(place: Place, now: Date): Promise<Check> {
  const { root, path, key } = place;
  const keptIn = await keepDamagedCopy({ root, path }, now);
  const db = await openStore({ path, history: null, create: false, seal: key });
  try {
    const warnings = await restoreFromLog(db, logPlace(place), now);
    // It has the words of the rows as they were.
    await recreateIndex(db);
    const detail = `restored rows from the event log: ${warnings.join("; ")}; the store as it was is in ${keptIn}`;
    return passed({ check: "repair", detail });
  } finally {
    await db.close();
  }
}

/** A full disk, or a folder that is not writable: other checks say so. */
function cannotCompare(error: unknown): Compared {
  if (systemCode(error) === undefined && !(error instanceof RalphError)) throw error;
  return { rows: [], fault: messageOf(error) };
}

function logPlace({ history, key }: Place): Parameters<typeof restoreFromLog>[1] {
  return { file: history, folder: dirname(history), seal: key, head: key.readHead() };
}
