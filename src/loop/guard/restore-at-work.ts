import { writeProcessRows } from "../../events/process-rows.ts";
import type { Row, Tx } from "../../store/db.ts";
import { commit, type Loop } from "../loop.ts";
import { sealedAfter } from "../tree/workspace-state-store.ts";

/**
 * Restores the rows about an iteration during which ralph was killed, from their copy outside the project: who ran it, what is
 * open, and what the working tree was when its agent began. Nothing but the agent changes them before ralph does, and ralph seals
 * the state of the tree. Returns a warning where one was changed.
 */
export async function restoreAtWork(loop: Pick<Loop, "db" | "log">): Promise<readonly string[]> {
  const { db, log } = loop;
  const { seal } = db;
  const rows = new Map(log.head.workRows().map(({ table, row }) => [table, row]));
  const tree = rows.get("workspace_state");
  const began = seal && sealedAfter(seal, tree);
  if (!tree || seal === null || began === null) return [];
  return commit(loop, async (tx) => {
    const restored: string[] = [];
    const is = await tx.get<Row>("SELECT * FROM workspace_state WHERE id = 1");
    if ((sealedAfter(seal, is) ?? -1) < began) {
      await put(tx, "workspace_state", tree);
      restored.push("the record of the working tree");
    }
    // As long as ralph wrote no later state of the tree, the iteration has not ended.
    const now = await tx.get<Row>("SELECT * FROM workspace_state WHERE id = 1");
    const tables =
      now?.["baseline"] === tree["baseline"] ? (["runs", "iterations"] as const) : (["runs"] as const);
    for (const table of tables) {
      const row = rows.get(table);
      if (row && (await restoreRow(tx, table, row))) restored.push(names[table]);
    }
    return restored.map((name) => `put back ${name}: it was changed other than by ralph`);
  });
}

const names = { runs: "the row of the killed run", iterations: "the row of its iteration" } as const;

/** The columns that nothing changes while the iteration is open. */
const fixed = {
  runs: ["started_at", "ended_at", "pid", "start_time", "boot_id", "host"],
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
} as const;

async function restoreRow(tx: Tx, table: "runs" | "iterations", row: Row): Promise<boolean> {
  const is = await tx.get<Row>(`SELECT * FROM ${table} WHERE id = ?`, [row["id"] ?? null]);
  const isSame = is && fixed[table].every((name) => is[name] === row[name]);
  if (isSame) return false;
  await put(tx, table, row);
  return true;
}

async function put(tx: Tx, table: string, row: Row): Promise<void> {
  await writeProcessRows(tx, [{ table, op: "put", row }]);
}
