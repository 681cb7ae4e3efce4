import type { AttemptRef } from "../base/attempt-ref.ts";
import type { RedactedText } from "../base/safe-text.ts";
import type { Reader, Tx } from "../store/port/db.ts";
import { insertRow } from "../store/port/rows.ts";

/** An iteration that does not count as an attempt: a limit, a network error, a stopped run. It can have a cost. */
export interface Interruption extends Pick<AttemptRef, "taskId" | "runId"> {
  readonly id: string;
  readonly agent: string | null;
  readonly model: string | null;
  /** The kind of the agent's error (`rate_limit`), or the reason why ralph ended it (`deadline`, `crashed`). */
  readonly kind: string;
  readonly message: RedactedText;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly costUsd: number | null;
  /** The end of the limit, ISO 8601, if the agent reported it. */
  readonly resetAt: string | null;
  /** The end of the pause of the agent, ISO 8601. */
  readonly waitUntil: string | null;
  /** The limit applies only to models whose name contains this; null: to all. */
  readonly limitedModel: string | null;
}

export async function recordInterruption(tx: Tx, interruption: Interruption): Promise<void> {
  const { id, taskId, runId, agent, model, kind, startedAt, costUsd, resetAt } = interruption;
  const { waitUntil, limitedModel } = interruption;
  const row = {
    id,
    task_id: taskId,
    run_id: runId,
    agent,
    model,
    kind,
    message: interruption.message,
    started_at: startedAt,
    duration_ms: Math.round(interruption.durationMs),
    cost_usd: costUsd,
    reset_at: resetAt,
    wait_until: waitUntil,
    limited_model: limitedModel,
  };
  await insertRow(tx, "interruptions", row);
}

/** Permanently erases the messages of a run's interruptions; their other columns stay. */
export async function eraseMessages(tx: Tx, runId: string): Promise<void> {
  await tx.run("UPDATE interruptions SET message = 'purged' WHERE run_id = ?", [runId]);
}

/** Returns the task's interruptions, oldest first. */
export async function interruptionsOf(q: Reader, taskId: string): Promise<readonly Interruption[]> {
  return q.all<Interruption>(
    `SELECT id, task_id AS "taskId", run_id AS "runId", agent, model, kind, message, started_at AS "startedAt",
       duration_ms AS "durationMs", cost_usd AS "costUsd", reset_at AS "resetAt",
       wait_until AS "waitUntil", limited_model AS "limitedModel"
     FROM interruptions WHERE task_id = ? ORDER BY started_at, id`,
    [taskId],
  );
}

/** A pause of an agent or of some of its models. */
export interface AgentPause {
  readonly agent: string;
  /** Part of the names of the models; null: all of them. */
  readonly model: string | null;
  readonly kind: string;
  /** ISO 8601. */
  readonly until: string;
  readonly resetAt: string | null;
}

/** Returns the latest active pause of each agent and model at `now`, the one that ends first first. */
export async function latestPauses(q: Reader, now: string): Promise<readonly AgentPause[]> {
  return q.all<AgentPause>(
    `SELECT agent, limited_model AS model, kind, wait_until AS "until", reset_at AS "resetAt"
     FROM interruptions AS last
     WHERE agent IS NOT NULL AND wait_until > ? AND NOT EXISTS (
       SELECT 1 FROM interruptions AS later
       WHERE later.agent = last.agent AND COALESCE(later.limited_model, '') = COALESCE(last.limited_model, '')
         AND later.wait_until IS NOT NULL
         AND (later.started_at > last.started_at OR (later.started_at = last.started_at AND later.id > last.id)))
     ORDER BY wait_until, id`,
    [now],
  );
}
