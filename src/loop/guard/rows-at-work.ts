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
  const tree = await rowsOf(q, "workspace_state", "SELECT * FROM workspace_state WHERE id = 1");
  return [
    ...(await rowsOf(q, "runs", "SELECT * FROM runs WHERE id = ?", [at.runId])),
    ...(await rowsOf(q, "iterations", "SELECT * FROM iterations WHERE id = ?", [at.iterationId])),
    ...(tree.length > 0 ? tree : [{ table: "workspace_state", op: "delete", row: { id: 1 } } as const]),
    ...(await rowsOf(q, "pending_commits", `SELECT * ${waiting}`)),
    ...(await rowsOf(q, "claims", `SELECT * FROM claims WHERE task_id IN (SELECT task_id ${waiting})`)),
  ];
}

const finished = "FROM pending_commits WHERE finished_at IS NOT NULL AND iteration_id IN";
const newestIterations = `FROM iterations
  WHERE run_id = (SELECT id FROM runs ORDER BY started_at DESC LIMIT 1) ORDER BY number DESC LIMIT 20`;

/**
 * Returns the rows about what is at work that a rebuild from the log needs, as the log has none of them: the claims, the state of the
 * working tree, the commits that wait, the last 20 runs, and the last 20 iterations of the last one with their commits. Reads as
 * many rows after a thousand iterations as after twenty: it is called before each.
 */
export async function readRowsForRebuild(q: Reader): Promise<readonly TableWrite[]> {
  return [
    ...(await rowsOf(q, "runs", "SELECT * FROM runs ORDER BY started_at DESC LIMIT 20")),
    ...(await rowsOf(q, "claims", "SELECT * FROM claims")),
    ...(await rowsOf(q, "iterations", `SELECT * ${newestIterations}`)),
    ...(await rowsOf(q, "pending_commits", `SELECT * ${waiting}`)),
    ...(await rowsOf(q, "pending_commits", `SELECT * ${finished} (SELECT id ${newestIterations})`)),
    ...(await rowsOf(q, "workspace_state", "SELECT * FROM workspace_state")),
  ];
}

async function rowsOf(
  q: Reader,
  table: string,
  sql: string,
  params: readonly (string | null)[] = [],
): Promise<readonly TableWrite[]> {
  return (await q.all<Row>(sql, params)).map((row) => ({ table, op: "put", row }) as const);
}
