import type { Db } from "../../store/db.ts";
import { putHealth, useResult } from "../measure/health-store.ts";
import { writeHivemind } from "./database/open-hivemind.ts";
import type { SharedMemory } from "./database/shared-memory.ts";
import { deleteShared, putShared } from "./database/shared-memory-store.ts";
import { eraseEntries, markEntries, unsettledEntries } from "./store/entry-store.ts";

interface Delivery {
  readonly path: string;
  readonly deadlineMs: number;
  readonly now: Date;
}

/**
 * Stores in the hivemind what the project has for it, and deletes there what left it. What cannot be delivered stays for the
 * next time; a delivery that is repeated after a kill changes nothing. Records how it ended.
 *
 * @throws RalphError `RALPH_HIVEMIND_UNAVAILABLE`
 */
export async function deliverEntries(db: Db, { path, deadlineMs, now }: Delivery): Promise<void> {
  let entries = await unsettledEntries(db);
  if (entries.length === 0) return;
  // The run whose events tell of the delivery: the last that left something.
  const runId = entries.findLast((entry) => entry.runId !== null)?.runId ?? null;
  try {
    await writeHivemind({ path, deadlineMs }, (hivemind) =>
      hivemind.transaction(async (tx) => {
        // Read again under the hivemind's lock: a person may have taken one back while this waited for it.
        entries = await unsettledEntries(db);
        await putShared(tx, memoriesOf(entries));
        await deleteShared(tx, leavingOf(entries));
      }),
    );
  } catch (error) {
    await db.transaction((tx) => putHealth(tx, "hivemind", useResult(error), { runId, now }));
    throw error;
  }
  await db.transaction(async (tx) => {
    const by = { runId, now };
    // What was changed in the meantime is delivered the next time.
    const delivered = new Set((await unsettledEntries(tx)).filter(isIn(entries)).map(({ id }) => id));
    const sent = memoriesOf(entries)
      .filter(({ id }) => delivered.has(id))
      .map(({ id }) => id);
    await markEntries(tx, sent, "sent", by);
    await eraseEntries(
      tx,
      leavingOf(entries).filter((id) => delivered.has(id)),
      by,
    );
    await putHealth(tx, "hivemind", useResult(null), by);
  });
}

type Unsettled = Awaited<ReturnType<typeof unsettledEntries>>[number];

function memoriesOf(entries: readonly Unsettled[]): readonly SharedMemory[] {
  return entries.flatMap(({ memory }) => memory ?? []);
}

function leavingOf(entries: readonly Unsettled[]): readonly string[] {
  return entries.flatMap(({ id, state }) => (state === "leaving" ? [id] : []));
}

function isIn(entries: readonly Unsettled[]): (entry: Unsettled) => boolean {
  const known = new Map(entries.map(({ id, state }) => [id, state]));
  return ({ id, state }) => known.get(id) === state;
}
