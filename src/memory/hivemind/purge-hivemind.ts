import type { Reader } from "../../store/port/db.ts";
import { swarmPlace } from "../port/hivemind-settings.ts";
import { counted, type KindPurge } from "../port/kind-commands.ts";
import { entriesOf, markEntries } from "./entry-store.ts";
import { countUses, eraseUses } from "./foreign-use-store.ts";
import { writeHivemind } from "./open-hivemind.ts";
import { deleteShared } from "./shared-memory-store.ts";

const deadlineMs = 5000;

/**
 * Deletes what a run, or a deleted learning, stored in the hivemind. Where it is not available now, the next run deletes it:
 * the project keeps the ids until then, without the texts.
 */
export const hivemindPurge: KindPurge = {
  label: "hivemind record",
  toJson: ({ count }) => ({ hivemind: count }),
  plan: async (q, { runId }) =>
    counted(
      runId === null ? 0 : (await entriesOf(q, { runId, sources: [] })).length + (await countUses(q, runId)),
    ),
  removeFiles: async (q, { hivemind, runId }, erased) => {
    const ids = await entriesOf(q, { runId, sources: erased });
    // A program is slow: the next run deletes what it keeps.
    if (hivemind === null || hivemind === swarmPlace || ids.length === 0) return;
    const call = { path: hivemind, deadlineMs };
    // The entries stay `leaving` until a delivery has deleted them.
    await writeHivemind(call, (db) => db.transaction((tx) => deleteShared(tx, ids))).catch(() => undefined);
  },
  erase: async (tx, _, occasion) => {
    const { runId } = occasion;
    const ids = [...(await entriesOf(tx, { runId, sources: await goneLearnings(tx) }))];
    await markEntries(tx, ids, "leaving", occasion);
    return counted(ids.length + (runId === null ? 0 : await eraseUses(tx, runId)));
  },
};

/** Returns the ids of learnings that were stored in the hivemind and have been deleted here. */
async function goneLearnings(q: Reader): Promise<readonly string[]> {
  const rows = await q.all<{ source: string }>(
    `SELECT DISTINCT e.source FROM hivemind_entries e
     WHERE e.source NOT IN ('attempt', 'person') AND NOT EXISTS (SELECT 1 FROM learnings l WHERE l.id = e.source)`,
  );
  return rows.map(({ source }) => source);
}
