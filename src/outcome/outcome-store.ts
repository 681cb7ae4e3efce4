import { record } from "../events/outbox-store.ts";
import type { Reader, SqlValue, Tx } from "../store/db.ts";
import { redact } from "../trust/redact.ts";
import type { ErrorType, Outcome, OutcomeName, Verification } from "./outcome.ts";

/** A recorded attempt, as it stands in `iteration_outcomes`. */
export interface Attempt {
  readonly taskId: string;
  /** From 1; never given twice. */
  readonly attempt: number;
  readonly iterationId: string | null;
  readonly runId: string | null;
  readonly agent: string | null;
  readonly model: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly tokensInput: number | null;
  readonly tokensOutput: number | null;
  readonly costUsd: number | null;
  readonly outcome: OutcomeName;
  readonly verification: Verification | null;
  readonly errorType: ErrorType | null;
  readonly errorSignature: string | null;
  /** What failed of verification, at most 4,000 characters. */
  readonly verificationOutput: string | null;
  readonly reason: string | null;
  /** Two failed attempts with the same value left the same changes behind; null: done, or unknown. */
  readonly tree: string | null;
  /** Why the split that the agent proposed was not made. */
  readonly splitRefused: string | null;
}

/**
 * Writes the attempt, with its event. An attempt is written once: a second one of the same number throws, and rolls
 * back the caller's transaction.
 */
export async function recordOutcome(tx: Tx, outcome: Outcome, now: Date): Promise<void> {
  const row = toRow(outcome);
  await tx.run(
    `INSERT INTO iteration_outcomes (task_id, attempt_number, model, started_at, duration_ms, tokens_input,
       tokens_output, outcome, error_type, cost_usd, run_id, agent, verification, error_signature,
       verification_output, iteration_id, reason, tree, split_refused)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    Object.values(row),
  );
  const data = {
    taskId: outcome.taskId,
    attempt: outcome.attempt,
    outcome: outcome.name,
    reason: row.reason,
  };
  const rows = [{ table: "iteration_outcomes", op: "put", row }] as const;
  await record(tx, { type: "outcome.recorded", runId: outcome.runId, data, rows }, now);
}

/** In the order of the statement above. */
function toRow(outcome: Outcome) {
  return {
    task_id: outcome.taskId,
    attempt_number: outcome.attempt,
    model: outcome.model,
    started_at: outcome.startedAt,
    duration_ms: Math.round(outcome.durationMs),
    tokens_input: outcome.tokens?.input ?? null,
    tokens_output: outcome.tokens?.output ?? null,
    outcome: outcome.name,
    error_type: outcome.errorType,
    cost_usd: outcome.costUsd,
    run_id: outcome.runId,
    agent: outcome.agent,
    verification: outcome.verification,
    error_signature: outcome.signature,
    verification_output: redact(outcome.errorExcerpt) || null,
    iteration_id: outcome.iterationId,
    reason: redact(outcome.reason),
    tree: outcome.tree ?? null,
    split_refused: outcome.splitRefused === undefined ? null : redact(outcome.splitRefused),
  } satisfies Record<string, SqlValue>;
}

const attemptColumns = `task_id AS "taskId", attempt_number AS "attempt", iteration_id AS "iterationId", run_id AS "runId", agent,
  model, started_at AS "startedAt", duration_ms AS "durationMs", tokens_input AS "tokensInput",
  tokens_output AS "tokensOutput", cost_usd AS "costUsd", outcome, verification, error_type AS "errorType",
  error_signature AS "errorSignature", verification_output AS "verificationOutput", reason, tree,
  split_refused AS "splitRefused"`;

/** The task's recorded attempts, oldest first. */
export async function attemptsOf(q: Reader, taskId: string): Promise<readonly Attempt[]> {
  return q.all<Attempt>(
    `SELECT ${attemptColumns} FROM iteration_outcomes WHERE task_id = ? ORDER BY attempt_number`,
    [taskId],
  );
}

/** The attempts of one run, oldest first. */
export async function attemptsOfRun(q: Reader, runId: string): Promise<readonly Attempt[]> {
  return q.all<Attempt>(
    `SELECT ${attemptColumns} FROM iteration_outcomes WHERE run_id = ? ORDER BY started_at, attempt_number`,
    [runId],
  );
}

interface ModelTotals {
  readonly model: string;
  readonly attempts: number;
  readonly done: number;
  /** Null: no attempt told its cost. */
  readonly costUsd: number | null;
  /** Attempts that did not tell what they cost. */
  readonly unpriced: number;
  readonly durationMs: number;
}

export interface RunTotals {
  readonly attempts: number;
  readonly done: number;
  /** Interruptions included; null when nothing told its cost. */
  readonly costUsd: number | null;
  readonly durationMs: number;
  readonly interruptions: number;
  /** Most attempts first. */
  readonly byModel: readonly ModelTotals[];
}

/** What a run came to: attempts, cost and time, in all and by model. */
export async function runTotals(q: Reader, runId: string): Promise<RunTotals> {
  const byModel = await q.all<ModelTotals>(
    `SELECT model, COUNT(*) AS attempts, SUM(CASE WHEN outcome = 'done' THEN 1 ELSE 0 END) AS done,
       SUM(cost_usd) AS "costUsd", SUM(CASE WHEN cost_usd IS NULL THEN 1 ELSE 0 END) AS unpriced,
       SUM(duration_ms) AS "durationMs"
     FROM iteration_outcomes WHERE run_id = ? GROUP BY model ORDER BY COUNT(*) DESC, model`,
    [runId],
  );
  const broken = await q.get<{ n: number; costUsd: number | null; durationMs: number | null }>(
    `SELECT COUNT(*) AS n, SUM(cost_usd) AS "costUsd", SUM(duration_ms) AS "durationMs"
     FROM interruptions WHERE run_id = ?`,
    [runId],
  );
  const sum = (key: "attempts" | "done" | "durationMs"): number =>
    byModel.reduce((all, row) => all + row[key], 0);
  const costs = [...byModel, broken].flatMap((row) => row?.costUsd ?? []);
  return {
    attempts: sum("attempts"),
    done: sum("done"),
    costUsd: costs.length > 0 ? costs.reduce((all, cost) => all + cost, 0) : null,
    durationMs: sum("durationMs") + (broken?.durationMs ?? 0),
    interruptions: broken?.n ?? 0,
    byModel,
  };
}
