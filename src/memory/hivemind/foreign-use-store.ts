import type { AttemptRef } from "../../base/attempt-ref.ts";
import { sha256 } from "../../base/hash.ts";
import type { Reader, Row, Tx } from "../../store/port/db.ts";
import { insertRow, readNumber } from "../../store/port/rows.ts";
import { type Comparison, compareTrials } from "../port/compare-trials.ts";
import type { SharedMemory } from "./shared-memory.ts";

/** The records of other projects that a prompt showed, or that a hold-out withheld from it. */
interface ForeignUse extends AttemptRef {
  readonly memoryIds: readonly string[];
  readonly heldOut: boolean;
}

/** Records which records of other projects a prompt showed, or that it was held out. */
export async function insertUses(tx: Tx, use: ForeignUse, now: Date): Promise<void> {
  const { iterationId, runId, taskId, attempt, heldOut, memoryIds } = use;
  for (const memoryId of memoryIds) {
    const row = {
      memory_id: memoryId,
      iteration_id: iterationId,
      run_id: runId,
      task_id: taskId,
      attempt,
      held_out: heldOut ? 1 : 0,
      created_at: now.toISOString(),
    };
    await insertRow(tx, "hivemind_uses", row);
  }
}

/** Records the outcome of an iteration with the records that its prompt showed. Returns their ids. */
export async function settleUses(
  tx: Tx,
  result: Pick<AttemptRef, "iterationId"> & {
    readonly outcome: string;
    readonly verification: string | null;
  },
): Promise<readonly string[]> {
  const { iterationId, outcome, verification } = result;
  const changed = await tx.run(
    "UPDATE hivemind_uses SET outcome = ?, verification = ? WHERE iteration_id = ?",
    [...[outcome, verification, iterationId]],
  );
  if (changed === 0) return [];
  const uses = await tx.all<Row>("SELECT * FROM hivemind_uses WHERE iteration_id = ? ORDER BY memory_id", [
    iterationId,
  ]);
  return uses.flatMap((row) => (row["held_out"] === 0 ? [String(row["memory_id"])] : []));
}

/** Deletes the uses of a run. Returns their number. */
export async function eraseUses(tx: Tx, runId: string): Promise<number> {
  const uses = await tx.all<{ memory_id: string; iteration_id: string }>(
    "SELECT memory_id, iteration_id FROM hivemind_uses WHERE run_id = ?",
    [runId],
  );
  if (uses.length === 0) return 0;
  await tx.run("DELETE FROM hivemind_uses WHERE run_id = ?", [runId]);
  return uses.length;
}

export async function countUses(q: Reader, runId: string): Promise<number> {
  return readNumber(q, "SELECT COUNT(*) AS n FROM hivemind_uses WHERE run_id = ?", [runId]);
}

/** Counts the different records of other projects that the prompts of a run showed. */
export async function countShownForeign(q: Reader, runId: string): Promise<number> {
  return readNumber(
    q,
    "SELECT COUNT(DISTINCT memory_id) AS n FROM hivemind_uses WHERE run_id = ? AND held_out = 0",
    [runId],
  );
}

/** `approved` by a person; `confirmed` by a verified success with it; `rejected`: an agent called it harmful. */
export type Decision = "approved" | "confirmed" | "rejected";

/** The part of a record that a decision is about: every project can write the record again under its id. */
type Decided = Pick<SharedMemory, "content" | "id" | "projectName" | "tags" | "title" | "type">;

/** Records a decision on a record of another project, as it is now; a rejection holds whatever it says. */
export async function putDecision(
  tx: Tx,
  { record: about, decision }: { readonly record: Decided; readonly decision: Decision },
  { runId, now }: { readonly runId: string | null; readonly now: Date },
): Promise<void> {
  const { id } = about;
  const row = {
    memory_id: id,
    decision,
    run_id: runId,
    decided_at: now.toISOString(),
    content_hash: contentHash(about),
  };
  await insertRow(tx, "hivemind_decisions", row, ["memory_id"]);
}

/** Returns the decisions on records of other projects, by id. Who changed a record since has no approval for it. */
export async function decisionsOn(
  q: Reader,
  records: readonly Decided[],
): Promise<ReadonlyMap<string, Decision>> {
  const hashes = new Map(records.map((one) => [one.id, contentHash(one)]));
  const { sql, params } = q.dialect.inList("memory_id", [...hashes.keys()]);
  const rows = await q.all<{ id: string; decision: Decision; hash: string | null }>(
    `SELECT memory_id AS id, decision, content_hash AS hash FROM hivemind_decisions WHERE ${sql}`,
    params,
  );
  const holds = rows.filter(
    ({ id, decision, hash }) => decision === "rejected" || hash === null || hash === hashes.get(id),
  );
  return new Map(holds.map(({ id, decision }) => [id, decision]));
}

function contentHash({ type, title, content, tags, projectName }: Decided): string {
  return sha256(JSON.stringify([type, title, content, tags, projectName]));
}

/** A decision on a record, with its time (ISO 8601). */
export interface ForeignDecision {
  readonly decision: Decision;
  readonly runId: string | null;
  readonly at: string;
}

/** An attempt whose prompt showed a record, or that was held out. */
export interface ForeignUseView {
  readonly taskId: string;
  readonly attempt: number;
  readonly heldOut: boolean;
  readonly outcome: string | null;
  readonly verification: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** Returns what this project knows of a record: the decision that holds and its uses, oldest first. */
export async function historyOf(
  q: Reader,
  about: Decided,
): Promise<{ readonly decision: ForeignDecision | null; readonly uses: readonly ForeignUseView[] }> {
  const { id } = about;
  const holds = (await decisionsOn(q, [about])).has(id);
  const decision = await q.get<ForeignDecision>(
    `SELECT decision, run_id AS "runId", decided_at AS at FROM hivemind_decisions WHERE memory_id = ?`,
    [id],
  );
  const rows = await q.all<Omit<ForeignUseView, "heldOut"> & { readonly heldOut: number }>(
    `SELECT task_id AS "taskId", attempt, held_out AS "heldOut", outcome, verification, created_at AS at
     FROM hivemind_uses WHERE memory_id = ? ORDER BY created_at, iteration_id`,
    [id],
  );
  const uses = rows.map((row) => ({
    ...row,
    attempt: Number(row.attempt),
    heldOut: Number(row.heldOut) === 1,
  }));
  return { decision: (holds ? decision : undefined) ?? null, uses };
}

interface UseRow {
  readonly task: string;
  readonly heldOut: number;
  readonly outcome: string;
  readonly verification: string | null;
}

/** Measures the lift of records of other projects, since a time or over all recorded attempts (LEARN-6, HIVE-6). */
export async function measureForeign(q: Reader, since: string | null): Promise<Comparison> {
  const rows = await q.all<UseRow>(
    `SELECT task_id AS task, MAX(held_out) AS "heldOut", MAX(outcome) AS outcome, MAX(verification) AS verification
     FROM hivemind_uses WHERE outcome IS NOT NULL AND created_at >= ?
     GROUP BY iteration_id, task_id ORDER BY MIN(created_at), iteration_id`,
    [since ?? ""],
  );
  // An unverified `done` is neither a success nor a failure.
  const known = rows.filter(({ outcome, verification }) => outcome !== "done" || verification === "passed");
  return compareTrials(
    known.map(({ task, heldOut, outcome }) => ({
      task,
      heldOut: Number(heldOut) === 1,
      passed: outcome === "done",
    })),
  );
}
