import type { TableWrite } from "../../events/event.ts";
import type { Reader, Row } from "../../store/db.ts";

/** A run, and its iteration; null: none. */
interface AtWork {
  readonly runId: string | null;
  readonly iterationId: string | null;
}

const waiting = "FROM pending_commits WHERE finished_at IS NULL";

/**
 * Returns the rows about what is at work before an agent, or code that it may have written, runs: the run, the iteration, the state
 * of the working tree, the commits that wait, and the claims on their tasks. A deletion stands for a state that is not there.
 */
export async function readRowsAtWork(q: Reader, at: AtWork): Promise<readonly TableWrite[]> {
  const puts = async (table: string, sql: string, params: readonly (string | null)[] = []) =>
    (await q.all<Row>(sql, params)).map((row) => ({ table, op: "put", row }) as const);
  const tree = await puts("workspace_state", "SELECT * FROM workspace_state WHERE id = 1");
  return [
    ...(await puts("runs", "SELECT * FROM runs WHERE id = ?", [at.runId])),
    ...(await puts("iterations", "SELECT * FROM iterations WHERE id = ?", [at.iterationId])),
    ...(tree.length > 0 ? tree : [{ table: "workspace_state", op: "delete", row: { id: 1 } } as const]),
    ...(await puts("pending_commits", `SELECT * ${waiting}`)),
    ...(await puts("claims", `SELECT * FROM claims WHERE task_id IN (SELECT task_id ${waiting})`)),
  ];
}
