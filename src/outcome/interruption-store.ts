import { record } from "../events/outbox-store.ts";
import type { Reader, SqlValue, Tx } from "../store/db.ts";
import { redact } from "../trust/redact.ts";

/** An iteration that burned no attempt: a limit, the network, a stopped run. It may have cost money all the same. */
export interface Interruption {
  readonly id: string;
  readonly taskId: string;
  readonly runId: string;
  readonly agent: string | null;
  readonly model: string | null;
  /** An agent's kind of error (`rate_limit`), or why ralph ended it (`deadline`, `crashed`). */
  readonly kind: string;
  readonly message: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly costUsd: number | null;
  /** When the limit ends, ISO 8601, if the agent said so. */
  readonly resetAt: string | null;
}

/** Writes the interruption, with its event. */
export async function recordInterruption(tx: Tx, interruption: Interruption, now: Date): Promise<void> {
  const { id, taskId, runId, agent, model, kind, startedAt, costUsd, resetAt } = interruption;
  const row = {
    id,
    task_id: taskId,
    run_id: runId,
    agent,
    model,
    kind,
    message: redact(interruption.message),
    started_at: startedAt,
    duration_ms: Math.round(interruption.durationMs),
    cost_usd: costUsd,
    reset_at: resetAt,
  } satisfies Record<string, SqlValue>;
  await tx.run(
    `INSERT INTO interruptions (id, task_id, run_id, agent, model, kind, message, started_at, duration_ms, cost_usd,
       reset_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    Object.values(row),
  );
  const data = { taskId, kind, message: row.message, resetAt, costUsd };
  const rows = [{ table: "interruptions", op: "put", row }] as const;
  await record(tx, { type: "interruption.recorded", runId, data, rows }, now);
}

/** The task's interruptions, oldest first. */
export async function interruptionsOf(q: Reader, taskId: string): Promise<readonly Interruption[]> {
  return q.all<Interruption>(
    `SELECT id, task_id AS "taskId", run_id AS "runId", agent, model, kind, message, started_at AS "startedAt",
       duration_ms AS "durationMs", cost_usd AS "costUsd", reset_at AS "resetAt"
     FROM interruptions WHERE task_id = ? ORDER BY started_at, id`,
    [taskId],
  );
}
