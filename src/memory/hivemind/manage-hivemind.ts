import { RalphError } from "../../base/errors.ts";
import type { Db } from "../../store/port/db.ts";
import type { HivemindSettings } from "../port/hivemind-settings.ts";
import { backendOf } from "./backend-of.ts";
import { deliverEntries } from "./deliver-entries.ts";
import { idOf } from "./describe-outcome.ts";
import { entryOfSource, markEntries, putLocal, putPending } from "./entry-store.ts";
import { putDecision } from "./foreign-use-store.ts";
import { learningRecord } from "./share-learnings.ts";
import type { SharedMemory } from "./shared-memory.ts";

/** How long a command waits for the hivemind, in milliseconds. */
const deadlineMs = 15_000;

/** The project, its hivemind and the time of an action of a person. */
interface ManagedHivemind {
  readonly db: Db;
  readonly hivemind: HivemindSettings;
  readonly now: Date;
}

/**
 * Stores a learning in the hivemind, without private data. Returns its record.
 *
 * @throws RalphError `RALPH_MEMORY_UNKNOWN`, `RALPH_HIVEMIND_FOREIGN`, `RALPH_HIVEMIND_UNAVAILABLE`
 */
export async function shareLearning(
  { db, hivemind, now }: ManagedHivemind,
  id: string,
): Promise<SharedMemory> {
  const origin = await hivemind.project();
  await requireOwn(db, id);
  const memory = await learningRecord(db, id, { origin, now });
  if (!memory) {
    throw new RalphError(
      "RALPH_HIVEMIND_FOREIGN",
      `cannot share ${id}: it did not originate in this project`,
      {
        hint: "share it in the project that it is from",
      },
    );
  }
  await db.transaction((tx) => putPending(tx, memory, { source: id, taskId: null, runId: null, now }));
  await deliverEntries(db, { hivemind, deadlineMs, now });
  return memory;
}

/**
 * Deletes a learning from the hivemind and keeps it out of it. Returns true if it was there.
 *
 * @throws RalphError `RALPH_MEMORY_UNKNOWN`, `RALPH_HIVEMIND_UNAVAILABLE`
 */
export async function unshareLearning({ db, hivemind, now }: ManagedHivemind, id: string): Promise<boolean> {
  await requireOwn(db, id);
  const entry = await entryOfSource(db, id);
  const recordId = entry?.id ?? idOf([(await hivemind.project()).id, "learning", id]);
  const by = { runId: null, now };
  // First: a delivery that waits for the hivemind then leaves it out, and one that fails here is repeated by the next run.
  if (entry) await db.transaction((tx) => markEntries(tx, [recordId], "leaving", by));
  const deleted = await backendOf(hivemind).remove([recordId], deadlineMs);
  await db.transaction((tx) => putLocal(tx, { id: recordId, source: id }, by));
  return deleted > 0;
}

/**
 * Approves records of other projects for this project's prompts (HIVE-6): they lose their mark and come first.
 *
 * @throws RalphError `RALPH_MEMORY_UNKNOWN`, `RALPH_HIVEMIND_UNAVAILABLE`
 */
export async function approveForeign(
  { db, hivemind, now }: ManagedHivemind,
  ids: readonly string[],
): Promise<readonly SharedMemory[]> {
  const found = await backendOf(hivemind).get(ids, deadlineMs);
  const missing = ids.find((id) => !found.some((memory) => memory.id === id));
  if (missing !== undefined) {
    throw new RalphError("RALPH_MEMORY_UNKNOWN", `unknown record ${missing}: the hivemind does not have it`, {
      hint: "`ralph context TASK --explain` lists the records that fit a task",
    });
  }
  await db.transaction(async (tx) => {
    for (const record of found) await putDecision(tx, { record, decision: "approved" }, { runId: null, now });
  });
  return found;
}

async function requireOwn(db: Db, id: string): Promise<void> {
  if (await db.get("SELECT 1 FROM learnings WHERE id = ?", [id])) return;
  throw new RalphError("RALPH_MEMORY_UNKNOWN", `unknown learning ${id}`, {
    hint: "run `ralph memory list` to see all",
  });
}
