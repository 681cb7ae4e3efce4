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

/** The number of runs, iterations and commits that a rebuild needs, the newest ones. */
const keptRows = 20;

const newestRuns = `SELECT id FROM runs ORDER BY started_at DESC LIMIT ${keptRows}`;

/** Of each run only its last iterations are looked at: a run may have thousands. */
const earlierIterations = `SELECT i.* FROM (SELECT id, started_at FROM runs WHERE id <> ? ORDER BY started_at DESC LIMIT ${keptRows}) r
  JOIN iterations i ON i.run_id = r.id AND i.number > (SELECT MAX(number) FROM iterations WHERE run_id = r.id) - ${keptRows}
  ORDER BY r.started_at DESC, i.number DESC LIMIT ?`;

/**
 * Returns the rows about what is at work that a rebuild from the log needs, as the log has none of them: the claims, the state of the
 * working tree, the commits that wait, the last 20 runs, and the last 20 iterations with their commits, first those of this run: other
 * runs may have a later time, as refused ones and those of a wrong clock. Reads as many rows after a thousand iterations as after
 * twenty: it is called before each.
 */
export async function readRowsForRebuild(q: Reader, runId: string): Promise<readonly TableWrite[]> {
  const iterations = await newestIterations(q, runId);
  const ids = iterations.map(({ row }) => String(row["id"]));
  const made = `FROM pending_commits WHERE finished_at IS NOT NULL AND iteration_id IN (${ids.map(() => "?").join(", ")})`;
  return [
    ...(await rowsOf(q, "runs", `SELECT * FROM runs WHERE id = ? OR id IN (${newestRuns})`, [runId])),
    ...(await rowsOf(q, "claims", "SELECT * FROM claims")),
    ...iterations,
    ...(await rowsOf(q, "pending_commits", `SELECT * ${waiting}`)),
    ...(await rowsOf(q, "pending_commits", `SELECT * ${made}`, ids)),
    ...(await rowsOf(q, "workspace_state", "SELECT * FROM workspace_state")),
  ];
}

async function newestIterations(q: Reader, runId: string): Promise<readonly TableWrite[]> {
  const ofRun = `SELECT * FROM iterations WHERE run_id = ? ORDER BY number DESC LIMIT ${keptRows}`;
  const own = await rowsOf(q, "iterations", ofRun, [runId]);
  const left = keptRows - own.length;
  return left === 0 ? own : [...own, ...(await rowsOf(q, "iterations", earlierIterations, [runId, left]))];
}

async function rowsOf(
  q: Reader,
  table: string,
  sql: string,
  params: readonly (string | number | null)[] = [],
): Promise<readonly TableWrite[]> {
  return (await q.all<Row>(sql, params)).map((row) => ({ table, op: "put", row }) as const);
}
