import type { TableWrite } from "../../events/event.ts";
import { currentRow, processRowName, writeProcessRows } from "../../events/process-rows.ts";
import type { Row, Seal, Tx } from "../../store/db.ts";
import { commit, type Loop } from "../loop.ts";
import { sealedAfter } from "../tree/workspace-state-store.ts";

/**
 * Restores the rows about what was at work when ralph was killed, from their copy outside the project: who ran it, what is open,
 * what the working tree was, and which commits wait. While code runs, nothing else writes these; after an iteration began, ralph
 * may have written a later state of the tree, which it seals. Returns a warning for each row.
 */
export async function restoreAtWork(loop: Pick<Loop, "db" | "log">): Promise<readonly string[]> {
  const { db, log } = loop;
  const { seal } = db;
  const noted = log.head.workRows();
  if (seal === null || noted.length === 0) return [];
  return commit(loop, async (tx) => {
    const restored: string[] = [];
    for (const write of await (isOfAgent(noted) ? rowsOfAgent(tx, seal, noted) : noted)) {
      if (!(await differs(tx, write))) continue;
      await writeProcessRows(tx, [write]);
      restored.push(processRowName(write.table, write.row));
    }
    return [...new Set(restored)].map((name) => `put back ${name}: it was changed other than by ralph`);
  });
}

/** Returns the ids of the commits that waited when ralph was killed; the work of `iterationId` may have become one since. */
export function knownCommits({ log }: Pick<Loop, "log">, iterationId: string): ReadonlySet<string> {
  const noted = log.head.workRows().filter(({ table }) => table === "pending_commits");
  return new Set([iterationId, ...noted.map(({ row }) => String(row["iteration_id"]))]);
}

/** True: an agent worked. False: code ran outside of an iteration, or after its verdict. */
function isOfAgent(noted: readonly TableWrite[]): boolean {
  return noted.some(({ table, row }) => table === "iterations" && row["ended_at"] === null);
}

/** Returns the noted rows that still count: as long as ralph wrote no later state of the tree, the iteration has not ended. */
async function rowsOfAgent(tx: Tx, seal: Seal, noted: readonly TableWrite[]): Promise<readonly TableWrite[]> {
  const tree = noted.find(({ table }) => table === "workspace_state")?.row;
  const began = sealedAfter(seal, tree);
  if (!tree || began === null) return [];
  const is = await tx.get<Row>("SELECT * FROM workspace_state WHERE id = 1");
  const isTreeOld = (sealedAfter(seal, is) ?? -1) < began;
  const isOpen = isTreeOld || is?.["baseline"] === tree["baseline"];
  return noted.filter(({ table }) => {
    if (table === "workspace_state") return isTreeOld;
    return table === "runs" || (table === "iterations" && isOpen);
  });
}

/** The columns that nothing changes meanwhile, where others may change; all columns of other tables. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  runs: ["started_at", "ended_at", "pid", "start_time", "boot_id", "host"],
  claims: ["token"],
  iterations: [
    "run_id",
    "task_id",
    "attempt_number",
    "token",
    "marker",
    "tmp_dir",
    "head_before",
    "ended_at",
  ],
};

async function differs(tx: Tx, write: TableWrite): Promise<boolean> {
  const { table, op, row } = write;
  const is = await currentRow(tx, write);
  if (op === "delete" || !is) return (op === "put") === (is === undefined);
  return (fixed[table] ?? Object.keys(row)).some((name) => is[name] !== row[name]);
}
