import type { CostSource } from "../agents/port/agent.ts";
import type { AttemptRef } from "../base/attempt-ref.ts";
import { parseStrings } from "../base/json.ts";
import type { RedactedText } from "../base/safe-text.ts";
import type { Reader, Row, SqlValue, Tx } from "../store/port/db.ts";
import { insertRow, readNumber } from "../store/port/rows.ts";
import { redactedText } from "../trust/safe-text.ts";
import type { ErrorType, Outcome, OutcomeName, Verification } from "./outcome.ts";

/** A recorded attempt: a row of `iteration_outcomes`. */
export interface Attempt extends Pick<AttemptRef, "taskId" | "attempt"> {
  readonly iterationId: string | null;
  readonly runId: string | null;
  readonly agent: string | null;
  readonly model: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly tokensInput: number | null;
  readonly tokensOutput: number | null;
  /** Tokens read from a cache; not part of `tokensInput`. */
  readonly tokensCacheRead: number | null;
  readonly tokensCacheWrite: number | null;
  readonly costUsd: number | null;
  /** Null if it was not recorded or there is no cost. */
  readonly costSource: CostSource | null;
  /** The model that answered; `model` can be an alias. */
  readonly agentModel: string | null;
  readonly sessionId: string | null;
  readonly stopReason: string | null;
  /** Tokens of the model's last request, and tokens that fit into its context. */
  readonly contextUsed: number | null;
  readonly contextSize: number | null;
  /** How often the agent summarized its context. */
  readonly compactions: number | null;
  /** The reason why the agent ended without a result, such as `max_turns`. */
  readonly errorKind: string | null;
  /** Actions for which the agent was denied permission. */
  readonly permissionDenials: readonly string[];
  readonly outcome: OutcomeName;
  readonly verification: Verification | null;
  readonly errorType: ErrorType | null;
  readonly errorSignature: RedactedText | null;
  /** Excerpt of the failed verification, at most 4,000 characters. */
  readonly verificationOutput: string | null;
  readonly reason: string | null;
  /** Fingerprint of the changes: equal for two failed attempts that left the same changes; null: done, or unknown. */
  readonly tree: string | null;
  /** The reason why the split that the agent proposed was rejected. */
  readonly splitRefused: string | null;
  /** Notices for people, such as how to get back a file of theirs that the agent overwrote. */
  readonly warnings: readonly string[];
}

/** Stores the attempt. A second attempt with the same number throws and rolls back the caller's transaction. */
export async function recordOutcome(tx: Tx, outcome: Outcome): Promise<void> {
  await insertRow(tx, "iteration_outcomes", toRow(outcome));
}

/** Stores what the extraction of learnings from an attempt cost, and which model was asked. */
export async function recordExtraction(
  tx: Tx,
  iterationId: string,
  { model, usd }: { readonly model: string; readonly usd: number },
): Promise<void> {
  await tx.run(
    "UPDATE iteration_outcomes SET extraction_model = ?, extraction_usd = ? WHERE iteration_id = ?",
    [model, usd, iterationId],
  );
}

/** The columns that hold outside text. */
interface OutcomeTexts {
  readonly error_signature: RedactedText | null;
  readonly verification_output: RedactedText | null;
  readonly reason: RedactedText;
  readonly split_refused: RedactedText | null;
  readonly agent_model: RedactedText | null;
  readonly session_id: RedactedText | null;
  readonly stop_reason: RedactedText | null;
  readonly permission_denials: RedactedText;
  readonly clashed_files: RedactedText | null;
  readonly warnings: RedactedText | null;
}

function redactedOrNull(text: string | null): RedactedText | null {
  return text === null ? null : redactedText(text);
}

function toRow(outcome: Outcome) {
  const { warnings } = outcome.work;
  return {
    task_id: outcome.taskId,
    attempt_number: outcome.attempt,
    model: outcome.model,
    asked_model: outcome.askedModel ?? null,
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
    verification_output: redactedText(outcome.errorExcerpt) || null,
    iteration_id: outcome.iterationId,
    reason: redactedText(outcome.reason),
    tree: outcome.tree ?? null,
    split_refused: redactedOrNull(outcome.splitRefused ?? null),
    tokens_cache_read: outcome.tokens?.cacheRead ?? null,
    tokens_cache_write: outcome.tokens?.cacheWrite ?? null,
    cost_source: outcome.session.costSource,
    agent_model: redactedOrNull(outcome.session.model),
    session_id: redactedOrNull(outcome.session.sessionId),
    stop_reason: redactedOrNull(outcome.session.stopReason),
    context_used: outcome.session.contextUsed ?? null,
    context_size: outcome.session.contextSize ?? null,
    compactions: outcome.session.compactions ?? null,
    error_kind: outcome.agentError?.kind ?? null,
    permission_denials: redactedText(JSON.stringify(outcome.session.permissionDenials)),
    clashed_files: outcome.clashed ? redactedText(JSON.stringify(outcome.work.files)) : null,
    warnings: warnings.length > 0 ? redactedText(JSON.stringify(warnings)) : null,
  } satisfies Record<string, SqlValue> & OutcomeTexts;
}

/** Deletes all attempts of a task and returns their rows. */
export async function deleteOutcomes(tx: Tx, taskId: string): Promise<readonly Row[]> {
  const taken = await tx.all<Row>(
    "SELECT * FROM iteration_outcomes WHERE task_id = ? ORDER BY attempt_number",
    [taskId],
  );
  await tx.run("DELETE FROM iteration_outcomes WHERE task_id = ?", [taskId]);
  return taken;
}

/** The columns with what an agent stated, or made a program print. */
const statedColumns: readonly (keyof OutcomeTexts)[] = [
  ...(["verification_output", "reason", "split_refused", "permission_denials"] as const),
];

/** Permanently erases what a run's attempts state; their other columns stay. Returns the reasons of those that failed. */
export async function eraseOutputs(tx: Tx, runId: string): Promise<readonly string[]> {
  const failed = "SELECT reason FROM iteration_outcomes WHERE run_id = ? AND outcome <> 'done'";
  const before = await tx.all<Row>(failed, [runId]);
  const emptied = statedColumns.map((name) => `${name} = NULL`).join(", ");
  await tx.run(`UPDATE iteration_outcomes SET ${emptied} WHERE run_id = ?`, [runId]);
  return before.map(({ reason }) => String(reason ?? ""));
}

const attemptColumns = `task_id AS "taskId", attempt_number AS "attempt", iteration_id AS "iterationId", run_id AS "runId", agent,
  model, started_at AS "startedAt", duration_ms AS "durationMs", tokens_input AS "tokensInput",
  tokens_output AS "tokensOutput", cost_usd AS "costUsd", outcome, verification, error_type AS "errorType",
  error_signature AS "errorSignature", verification_output AS "verificationOutput", reason, tree,
  split_refused AS "splitRefused",
  tokens_cache_read AS "tokensCacheRead", tokens_cache_write AS "tokensCacheWrite", cost_source AS "costSource",
  agent_model AS "agentModel", session_id AS "sessionId", stop_reason AS "stopReason", context_used AS "contextUsed",
  context_size AS "contextSize", compactions, error_kind AS "errorKind",
  permission_denials AS "permissionDenials", warnings`;

type Lists = "permissionDenials" | "warnings";
type AttemptRow = Omit<Attempt, Lists> & Readonly<Record<Lists, string | null>>;

function toAttempt(row: AttemptRow): Attempt {
  const { permissionDenials, warnings } = row;
  return { ...row, permissionDenials: parseStrings(permissionDenials), warnings: parseStrings(warnings) };
}

/** Returns the task's recorded attempts, oldest first. */
export async function attemptsOf(q: Reader, taskId: string): Promise<readonly Attempt[]> {
  const rows = await q.all<AttemptRow>(
    `SELECT ${attemptColumns} FROM iteration_outcomes WHERE task_id = ? ORDER BY attempt_number`,
    [taskId],
  );
  return rows.map(toAttempt);
}

/** Returns the attempts of one run, or its `latest`, oldest first. */
export async function attemptsOfRun(
  q: Reader,
  runId: string,
  latest: number = 1e9,
): Promise<readonly Attempt[]> {
  const rows = await q.all<AttemptRow>(
    `SELECT ${attemptColumns} FROM iteration_outcomes WHERE run_id = ?
     ORDER BY started_at DESC, attempt_number DESC LIMIT ?`,
    [runId, latest],
  );
  return rows.map(toAttempt).reverse();
}

/** Returns the files of verified work that clashed with what landed meanwhile, by unfinished task. */
export async function clashedTasks(q: Reader): Promise<Map<string, readonly string[]>> {
  const rows = await q.all<{ id: string; files: string }>(
    `SELECT o.task_id AS id, o.clashed_files AS files FROM iteration_outcomes o JOIN tasks t ON t.id = o.task_id
     WHERE o.clashed_files IS NOT NULL AND t.status <> 'done' ORDER BY o.attempt_number`,
  );
  return new Map(rows.map(({ id, files }) => [id, parseStrings(files)]));
}

/** How many attempts of each task are recorded; a task without any is not in it. */
export async function attemptCounts(q: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await q.all<{ id: string; n: number }>(
    "SELECT task_id AS id, COUNT(*) AS n FROM iteration_outcomes GROUP BY task_id",
  );
  return new Map(rows.map(({ id, n }) => [id, Number(n)]));
}

/** The error of a failed attempt. */
export interface LastError {
  readonly signature: RedactedText | null;
  readonly output: string;
}

/** Returns the error of the task's last attempt, or of the last one before attempt `before`; undefined: it succeeded, or there was none. */
export async function lastErrorOf(
  q: Reader,
  taskId: string,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<LastError | undefined> {
  if (before <= 1) return undefined;
  const row = await q.get<{ outcome: string; signature: RedactedText | null; output: string | null }>(
    `SELECT outcome, error_signature AS signature, verification_output AS output FROM iteration_outcomes
     WHERE task_id = ? AND attempt_number < ? ORDER BY attempt_number DESC LIMIT 1`,
    [taskId, before],
  );
  return row && row.outcome !== "done" ? { signature: row.signature, output: row.output ?? "" } : undefined;
}

/** The number of the task's last recorded attempt; 0 before the first. */
export async function lastAttempt(q: Reader, taskId: string): Promise<number> {
  return readNumber(q, "SELECT MAX(attempt_number) AS n FROM iteration_outcomes WHERE task_id = ?", [taskId]);
}
