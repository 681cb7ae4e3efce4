import type { AttemptRef } from "../../base/attempt-ref.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { insertRow } from "../../store/port/rows.ts";
import { runsHere } from "./run-store.ts";

/** The end of an iteration: a judged outcome, an interruption that costs no attempt, or a crash of ralph. */
export type IterationEndKind = "outcome" | "interrupted" | "crashed";

export interface IterationRow extends AttemptRef {
  /** Within the run, from 1. */
  readonly number: number;
  /** The claim's fencing token. */
  readonly token: number;
  readonly model: string;
  readonly rationale: string;
  /** In the environment of every process of the iteration, so that a later start can end those that are left. */
  readonly marker: string;
  readonly tmpDir: string;
  readonly headBefore: string;
  readonly startedAt: string;
  /** The seed of the fences of its prompt. */
  readonly promptSeed: string;
}

/** An iteration without an end. Its cost is known once its agent has ended. */
export interface OpenIteration extends IterationRow {
  readonly costUsd: number | null;
}

export async function insertIteration(tx: Tx, row: IterationRow): Promise<void> {
  const { number, token, model, rationale, marker } = row;
  await insertRow(tx, "iterations", {
    ...{ id: row.iterationId, run_id: row.runId, task_id: row.taskId, number, attempt_number: row.attempt },
    ...{ token, model, rationale, marker, tmp_dir: row.tmpDir, head_before: row.headBefore },
    ...{ started_at: row.startedAt, prompt_seed: row.promptSeed },
  });
}

/** Records the cost of the agent's session, so that a kill during the following verification does not lose it. */
export async function recordCost(tx: Tx, iterationId: string, costUsd: number): Promise<void> {
  await tx.run("UPDATE iterations SET cost_usd = ? WHERE id = ?", [costUsd, iterationId]);
}

export async function endIteration(
  tx: Tx,
  end: {
    readonly iterationId: string;
    readonly at: string;
    readonly kind: IterationEndKind;
    readonly headAfter: string | null;
  },
): Promise<void> {
  await tx.run("UPDATE iterations SET ended_at = ?, end_kind = ?, head_after = ? WHERE id = ?", [
    end.at,
    end.kind,
    end.headAfter,
    end.iterationId,
  ]);
}

/** Returns why each iteration on a task got its model, by the iteration's id. */
export async function rationalesOf(q: Reader, taskId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await q.all<{ id: string; rationale: string | null }>(
    "SELECT id, rationale FROM iterations WHERE task_id = ?",
    [taskId],
  );
  return new Map(rows.map(({ id, rationale }) => [id, rationale ?? ""]));
}

const columns = `id AS "iterationId", run_id AS "runId", task_id AS "taskId", number, attempt_number AS "attempt", token, model, rationale,
  marker, tmp_dir AS "tmpDir", head_before AS "headBefore", started_at AS "startedAt",
  COALESCE(prompt_seed, '') AS "promptSeed"`;

/** An iteration that ended; `interruption` is the kind of an interrupted one. */
interface EndedIteration {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly interruption: string | null;
}

/** Returns the run's ended iterations in order. */
export async function endedIterations(db: Reader, runId: string): Promise<readonly EndedIteration[]> {
  return db.all<EndedIteration>(
    `SELECT i.started_at AS "startedAt", i.ended_at AS "endedAt", MAX(x.kind) AS interruption FROM iterations i
     LEFT JOIN interruptions x ON x.run_id = i.run_id AND x.task_id = i.task_id AND x.started_at = i.started_at
     WHERE i.run_id = ? AND i.ended_at IS NOT NULL GROUP BY i.id, i.started_at, i.ended_at, i.number
     ORDER BY i.number`,
    [runId],
  );
}

/** Returns why the task's last session was interrupted; undefined when it was judged, or there was none. */
export async function lastInterruption(db: Reader, taskId: string): Promise<string | undefined> {
  const last = await db.get<{ endKind: IterationEndKind; kind: string | null }>(
    `SELECT i.end_kind AS "endKind", x.kind FROM iterations i
     LEFT JOIN interruptions x ON x.run_id = i.run_id AND x.task_id = i.task_id AND x.started_at = i.started_at
     WHERE i.task_id = ? AND i.ended_at IS NOT NULL ORDER BY i.started_at DESC, i.token DESC LIMIT 1`,
    [taskId],
  );
  return !last || last.endKind === "outcome" ? undefined : (last.kind ?? last.endKind);
}

/** Returns the task's iterations of which no commit is recorded, the latest first. */
export async function uncommittedIterations(
  q: Reader,
  taskId: string,
): Promise<readonly Pick<IterationRow, "iterationId" | "startedAt">[]> {
  return q.all(
    `SELECT id AS "iterationId", started_at AS "startedAt" FROM iterations i WHERE task_id = ? AND NOT EXISTS
       (SELECT 1 FROM pending_commits p WHERE p.iteration_id = i.id AND p.commit_hash IS NOT NULL)
     ORDER BY started_at DESC`,
    [taskId],
  );
}

/** Returns the iterations without an end: the running ones, and those of a killed run. */
export async function openIterations(db: Reader): Promise<readonly OpenIteration[]> {
  return db.all<OpenIteration>(
    `SELECT ${columns}, cost_usd AS "costUsd" FROM iterations WHERE ended_at IS NULL ORDER BY started_at`,
  );
}

/** Returns the iterations without an end that this working copy recovers. */
export async function openIterationsHere(db: Reader): Promise<readonly OpenIteration[]> {
  const open = await openIterations(db);
  if (db.dialect.place === "" || open.length === 0) return open;
  const runs = await runsHere(db);
  return open.filter(({ runId }) => runs.some(({ id }) => id === runId));
}

/** Returns the id of the iteration that the run began last; undefined before its first. */
export async function latestIteration(db: Reader, runId: string): Promise<string | undefined> {
  const row = await db.get<{ id: string }>(
    "SELECT id FROM iterations WHERE run_id = ? ORDER BY number DESC LIMIT 1",
    [runId],
  );
  return row?.id;
}

/** Returns the task's iterations, oldest first, as far as they are stored. */
export async function iterationsOf(
  db: Reader,
  taskId: string,
): Promise<readonly Pick<IterationRow, "iterationId" | "runId" | "number" | "attempt">[]> {
  return db.all(
    `SELECT id AS "iterationId", run_id AS "runId", number, attempt_number AS "attempt" FROM iterations
     WHERE task_id = ? ORDER BY started_at, number`,
    [taskId],
  );
}
