import type { Reader, Tx } from "../store/db.ts";

/** How an iteration ended: with a judged outcome, interrupted without burning an attempt, or by a crash of ralph. */
export type IterationEndKind = "outcome" | "interrupted" | "crashed";

export interface IterationRow {
  readonly id: string;
  readonly runId: string;
  readonly taskId: string;
  readonly number: number;
  readonly attempt: number;
  readonly token: number;
  readonly model: string;
  readonly rationale: string;
  /** Every process of the iteration carries it, so that a later start can reap what is left. */
  readonly marker: string;
  readonly tmpDir: string;
  readonly headBefore: string;
  readonly startedAt: string;
}

/** An iteration that never ended; its cost is known once its agent was through. */
export interface OpenIteration extends IterationRow {
  readonly costUsd: number | null;
}

export async function insertIteration(tx: Tx, row: IterationRow): Promise<void> {
  await tx.run(
    `INSERT INTO iterations (id, run_id, task_id, number, attempt_number, token, model, rationale, marker, tmp_dir,
       head_before, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      row.id,
      row.runId,
      row.taskId,
      row.number,
      row.attempt,
      row.token,
      row.model,
      row.rationale,
      row.marker,
      row.tmpDir,
      row.headBefore,
      row.startedAt,
    ],
  );
}

/** Notes what the agent's session cost: a kill during the verification that follows must not lose it. */
export async function noteCost(tx: Tx, id: string, costUsd: number): Promise<void> {
  await tx.run("UPDATE iterations SET cost_usd = ? WHERE id = ?", [costUsd, id]);
}

export async function endIteration(
  tx: Tx,
  end: {
    readonly id: string;
    readonly at: string;
    readonly kind: IterationEndKind;
    readonly headAfter: string | null;
  },
): Promise<void> {
  await tx.run("UPDATE iterations SET ended_at = ?, end_kind = ?, head_after = ? WHERE id = ?", [
    end.at,
    end.kind,
    end.headAfter,
    end.id,
  ]);
}

const columns = `id, run_id AS "runId", task_id AS "taskId", number, attempt_number AS "attempt", token, model, rationale,
  marker, tmp_dir AS "tmpDir", head_before AS "headBefore", started_at AS "startedAt"`;

/** An iteration that is over, and the kind of the interruption that it was. */
interface EndedIteration {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly interruption: string | null;
}

/** The run's iterations that are over, in their order. */
export async function endedIterations(db: Reader, runId: string): Promise<readonly EndedIteration[]> {
  return db.all<EndedIteration>(
    `SELECT i.started_at AS "startedAt", i.ended_at AS "endedAt", MAX(x.kind) AS interruption FROM iterations i
     LEFT JOIN interruptions x ON x.run_id = i.run_id AND x.task_id = i.task_id AND x.started_at = i.started_at
     WHERE i.run_id = ? AND i.ended_at IS NOT NULL GROUP BY i.id, i.started_at, i.ended_at, i.number
     ORDER BY i.number`,
    [runId],
  );
}

/** Why the task's last session was interrupted; undefined when it was judged, or there was none. */
export async function lastInterruption(db: Reader, taskId: string): Promise<string | undefined> {
  const last = await db.get<{ endKind: IterationEndKind; kind: string | null }>(
    `SELECT i.end_kind AS "endKind", x.kind FROM iterations i
     LEFT JOIN interruptions x ON x.run_id = i.run_id AND x.task_id = i.task_id AND x.started_at = i.started_at
     WHERE i.task_id = ? AND i.ended_at IS NOT NULL ORDER BY i.started_at DESC, i.token DESC LIMIT 1`,
    [taskId],
  );
  return !last || last.endKind === "outcome" ? undefined : (last.kind ?? last.endKind);
}

/** Iterations that never ended: their ralph was killed. */
export async function openIterations(db: Reader): Promise<readonly OpenIteration[]> {
  return db.all<OpenIteration>(
    `SELECT ${columns}, cost_usd AS "costUsd" FROM iterations WHERE ended_at IS NULL ORDER BY started_at`,
  );
}
