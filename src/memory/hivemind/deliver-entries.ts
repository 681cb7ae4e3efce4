import type { Db, Tx } from "../../store/port/db.ts";
import { putHealth, useResult } from "../port/health-store.ts";
import type { HivemindSettings } from "../port/hivemind-settings.ts";
import { backendOf } from "./backend-of.ts";
import { eraseEntries, markEntries, markSentAs, unsettledEntries } from "./entry-store.ts";
import type { HivemindConnection } from "./hivemind-connection.ts";
import { writeHivemind } from "./open-hivemind.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { deleteShared, putShared } from "./shared-memory-store.ts";

interface Delivery {
  readonly hivemind: HivemindSettings;
  readonly deadlineMs: number;
  readonly now: Date;
  /** Absent: the hivemind is opened for this delivery alone. */
  readonly connection?: HivemindConnection;
}

/**
 * Stores in the hivemind what the project has for it, and deletes there what left it. What cannot be delivered stays for the
 * next time; a delivery that is repeated after a kill changes nothing, but where the program `swarm` keeps the records.
 * Returns the id under which each record is stored. Records how it ended.
 *
 * @throws RalphError `RALPH_HIVEMIND_UNAVAILABLE`
 */
export async function deliverEntries(db: Db, delivery: Delivery): Promise<ReadonlyMap<string, string>> {
  let entries = await unsettledEntries(db);
  if (entries.length === 0) return new Map();
  const { hivemind: settings, now } = delivery;
  const call = { ...delivery, path: settings.path };
  // The run of the delivery's events: the last one that left something.
  const runId = entries.findLast((entry) => entry.runId !== null)?.runId ?? null;
  if (settings.swarm) return deliverToProgram(db, entries, { ...delivery, runId });
  try {
    const store = async (tx: Tx): Promise<void> => {
      // Read again under the hivemind's lock: a person may have taken one back while this waited for it.
      entries = await unsettledEntries(db);
      await putShared(tx, memoriesOf(entries));
      await deleteShared(tx, leavingOf(entries));
    };
    // Not waited for on the disk: only a power cut loses it, and the project keeps what it learned.
    await writeHivemind(call, (hivemind) => hivemind.transaction(store, { durable: false }));
  } catch (error) {
    await db.transaction((tx) => putHealth(tx, "hivemind", useResult(error), { runId, now }));
    throw error;
  }
  const settle = async (tx: Tx): Promise<void> => {
    // Entries that changed in the meantime are delivered the next time.
    const sent = memoriesOf(entries).map(({ id }) => id);
    await markEntries(tx, sent, "sent", { now, from: "pending" });
    await eraseEntries(tx, leavingOf(entries), "leaving");
    await putHealth(tx, "hivemind", useResult(null), { runId, now });
  };
  // After a power failure they are delivered again, which changes nothing.
  await db.transaction(settle, { durable: false });
  return new Map(memoriesOf(entries).map(({ id }) => [id, id]));
}

/** Delivers one record after the other, as far as the time allows: the program may be slow, and is a process each time. */
async function deliverToProgram(
  db: Db,
  entries: readonly Unsettled[],
  { hivemind, deadlineMs, now, runId }: Delivery & { readonly runId: string | null },
): Promise<ReadonlyMap<string, string>> {
  const backend = backendOf(hivemind);
  const by = { runId, now };
  const sent = new Map<string, string>();
  const end = performance.now() + deadlineMs;
  try {
    // The newest first: a person may wait for it.
    for (const { id, state, memory } of entries.toReversed()) {
      if (performance.now() > end) break;
      if (state === "leaving") await backend.remove([id], deadlineMs);
      const [sentAs] = memory ? await backend.put([memory], deadlineMs) : [];
      if (sentAs) sent.set(id, sentAs);
      await db.transaction(async (tx) => {
        // Entries that changed in the meantime are delivered the next time.
        if (!(await unsettledEntries(tx)).some((one) => one.id === id && one.state === state)) return;
        if (sentAs) await markSentAs(tx, { id, sentAs }, by);
        else await eraseEntries(tx, [id]);
      });
    }
  } catch (error) {
    await db.transaction((tx) => putHealth(tx, "hivemind", useResult(error), by));
    throw error;
  }
  await db.transaction((tx) => putHealth(tx, "hivemind", useResult(null), by));
  return sent;
}

type Unsettled = Awaited<ReturnType<typeof unsettledEntries>>[number];

function memoriesOf(entries: readonly Unsettled[]): readonly SharedMemory[] {
  return entries.flatMap(({ memory }) => memory ?? []);
}

function leavingOf(entries: readonly Unsettled[]): readonly string[] {
  return entries.flatMap(({ id, state }) => (state === "leaving" ? [id] : []));
}
