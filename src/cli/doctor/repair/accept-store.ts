import { copyFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { count, nameSome } from "../../../base/text.ts";
import { acceptLog, copyWithHead } from "../../../events/log-guard.ts";
import { repairLog } from "../../../events/repair-log.ts";
import { compareWithLog } from "../../../events/revert-tampering.ts";
import type { Db } from "../../../store/db.ts";
import { openStore } from "../../../store/open-store.ts";
import type { ProjectKey } from "../../../trust/project-key.ts";
import { makePrivateFolder } from "../../../trust/safe-file.ts";
import { keepStore } from "../../project/after-kill/replaced-store.ts";
import { type Check, passed, warned } from "../check.ts";

interface Place {
  /** The project's folder. */
  readonly root: string;
  readonly path: string;
  /** `.ralph/events.jsonl`. */
  readonly history: string;
  readonly key: ProjectKey;
}

const check = "repair";

/**
 * Repairs the event log from the store, which counts from then on: an older copy that a person restored, or one with work of another
 * machine. What ralph recorded here otherwise is kept in `keepIn`. After an agent killed ralph the store counts only until the next
 * command, which compares it with the log.
 */
export async function acceptStore(place: Place, keepIn: string, now: Date): Promise<Check> {
  const { root, path, history, key } = place;
  const accepts = key.readWork() === null;
  const store = await openStore({ path, history: null, create: false, seal: key });
  try {
    const other = accepts ? await keepRecorded(store, place, keepIn) : null;
    const { head, kept, damaged } = await repairLog(store, { file: history, root, keepIn, accepts }, now);
    if (head && accepts) acceptLog(history, key, head);
    else if (head) key.writeHead(head);
    if (accepts) keepStore(key, path);
    const lines = damaged > 0 ? `${count(damaged, "damaged line")}, ` : "";
    const copy = kept === null ? "" : `; the previous log is ${kept}`;
    const detail = `repaired the event log: ${lines}a snapshot of the store added${copy}`;
    if (other === null) return passed({ check, detail });
    return warned({ check, detail: `${detail}; ${other.detail}` }, other.hint);
  } finally {
    await store.close();
  }
}

interface Recorded {
  readonly detail: string;
  readonly hint: string;
}

/** Keeps what was recorded outside the project if the store differs from what that rebuilds; null when it does not. */
async function keepRecorded(
  store: Db,
  { root, path, history, key }: Place,
  keepIn: string,
): Promise<Recorded | null> {
  const recorded = copyWithHead(key) ?? key.logCopy;
  if (!existsSync(recorded)) return null;
  const place = { file: recorded, folder: dirname(history), seal: key, head: key.readHead() };
  const { rows, fault } = await compareWithLog(store, place, false).catch(() => unknown);
  if (fault !== null || rows.length === 0) return null;
  await makePrivateFolder(keepIn, { root });
  const kept = join(keepIn, "recorded-events.jsonl");
  copyFileSync(recorded, kept);
  return {
    detail: `the store stays as it is, other than ralph recorded here: ${nameSome(rows)}`,
    hint: `if it should be as recorded: move ${path} away, copy ${kept} to ${history}, and run this again`,
  };
}

const unknown = { rows: [], fault: "unknown" } as const;
