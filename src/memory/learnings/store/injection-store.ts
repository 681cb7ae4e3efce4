import type { AttemptRef } from "../../../base/attempt-ref.ts";
import { RalphError } from "../../../base/errors.ts";
import { record } from "../../../events/event-store.ts";
import type { Reader, Tx } from "../../../store/port/db.ts";
import { insertRow } from "../../../store/port/rows.ts";

/** One memory shown in a prompt, or withheld from it because the iteration was held out. */
export interface Injection {
  readonly memoryId: string;
  /** From 1, best first. */
  readonly rank: number;
  readonly score: number;
}

/** An iteration for which memory had something to show, for the measurement of lift. */
export interface Trial extends AttemptRef {
  readonly model: string;
  readonly heldOut: boolean;
}

/** Records the memories that an iteration was shown, or had withheld (LEARN-6). */
export async function insertTrial(
  tx: Tx,
  trial: Trial,
  injections: readonly Injection[],
  now: Date,
): Promise<void> {
  const held = trial.heldOut ? 1 : 0;
  await insertRow(tx, "memory_trials", {
    iteration_id: trial.iterationId,
    run_id: trial.runId,
    task_id: trial.taskId,
    attempt_number: trial.attempt,
    model: trial.model,
    held_out: held,
    began_at: now.toISOString(),
  });
  for (const { memoryId, rank, score } of injections) {
    const injection = { iteration_id: trial.iterationId, memory_id: memoryId, rank, held_out: held, score };
    await insertRow(tx, "memory_injections", injection);
  }
}

export type Verdict = "helpful" | "harmful";

/** A verdict of an iteration's agent on a memory. */
export interface Judgment extends Pick<AttemptRef, "iterationId"> {
  readonly runId: string | null;
  readonly memoryId: string;
  readonly verdict: Verdict;
}

/** Records the verdict of a running iteration's agent on a memory that its prompt showed. */
async function putVerdict(tx: Tx, judgment: Judgment, now: Date): Promise<void> {
  const { iterationId, runId, memoryId, verdict } = judgment;
  const changed = await tx.run(
    "UPDATE memory_injections SET verdict = ? WHERE iteration_id = ? AND memory_id = ?",
    [verdict, iterationId, memoryId],
  );
  if (changed === 0) return;
  await record(tx, { type: "memory.judged", runId, data: { iterationId, memoryId, verdict } }, now);
}

/** Returns the verdicts on the memories that an iteration was shown, by memory id. */
export async function verdictsIn(q: Reader, iterationId: string): Promise<ReadonlyMap<string, Verdict>> {
  const rows = await q.all<{ id: string; verdict: Verdict }>(
    `SELECT memory_id AS id, verdict FROM memory_injections
     WHERE iteration_id = ? AND held_out = 0 AND verdict IS NOT NULL`,
    [iterationId],
  );
  return new Map(rows.map(({ id, verdict }) => [id, verdict]));
}

/** Returns an iteration's trial until its outcome is recorded; undefined when memory had nothing to show or it has ended. */
export async function openTrial(
  q: Reader,
  iterationId: string,
): Promise<{ readonly heldOut: boolean } | undefined> {
  const row = await q.get<{ held: number }>(
    "SELECT held_out AS held FROM memory_trials WHERE iteration_id = ? AND outcome IS NULL",
    [iterationId],
  );
  return row && { heldOut: Number(row.held) === 1 };
}

/** Records the outcome of an iteration with memory, and its agent's verdicts. */
export async function settleTrial(
  tx: Tx,
  result: Pick<AttemptRef, "iterationId"> & {
    readonly outcome: string;
    readonly verification: string | null;
    readonly verdicts: ReadonlyMap<string, Verdict>;
  },
): Promise<void> {
  const { iterationId, outcome, verification, verdicts } = result;
  await tx.run("UPDATE memory_trials SET outcome = ?, verification = ? WHERE iteration_id = ?", [
    outcome,
    verification,
    iterationId,
  ]);
  for (const [memoryId, verdict] of verdicts) {
    await tx.run("UPDATE memory_injections SET verdict = ? WHERE iteration_id = ? AND memory_id = ?", [
      verdict,
      iterationId,
      memoryId,
    ]);
  }
}

/** Returns the ids of the memories that an iteration was shown, best first; none when it was held out. */
export async function shownIn(q: Reader, iterationId: string): Promise<readonly string[]> {
  const rows = await q.all<{ id: string }>(
    `SELECT memory_id AS id FROM memory_injections WHERE iteration_id = ? AND held_out = 0 ORDER BY rank`,
    [iterationId],
  );
  return rows.map(({ id }) => id);
}

/** A learning that an iteration's prompt showed, with its record. */
export interface ShownLearning {
  readonly iterationId: string;
  readonly id: string;
  readonly text: string;
  readonly shown: number;
  readonly passed: number;
  /** Of the iteration's agent. */
  readonly verdict: Verdict | null;
}

/** Returns the learnings that the iterations of a run were shown, best first, those of its last iterations. */
export async function shownInRun(q: Reader, runId: string, limit = 2000): Promise<readonly ShownLearning[]> {
  return q.all<ShownLearning>(
    `SELECT i.iteration_id AS "iterationId", l.id, l.content AS text, l.times_shown AS shown, l.shown_passed AS passed, i.verdict
     FROM memory_trials t JOIN memory_injections i ON i.iteration_id = t.iteration_id AND i.held_out = 0
     JOIN learnings l ON l.id = i.memory_id WHERE t.run_id = ? ORDER BY t.began_at DESC, i.rank LIMIT ?`,
    [runId, limit],
  );
}

/** One impression of a memory, for `ralph memory why`. */
export interface Impression extends Pick<AttemptRef, "runId" | "taskId" | "attempt"> {
  readonly at: string;
  readonly rank: number;
  readonly heldOut: boolean;
  readonly verdict: Verdict | null;
  readonly outcome: string | null;
  readonly verification: string | null;
}

/** Returns the latest impressions of a memory, oldest first. */
export async function impressionsOf(q: Reader, memoryId: string, limit = 50): Promise<readonly Impression[]> {
  const rows = await q.all<Omit<Impression, "heldOut"> & { readonly heldOut: number }>(
    `SELECT t.began_at AS "at", t.run_id AS "runId", t.task_id AS "taskId", t.attempt_number AS "attempt",
       i.rank, i.held_out AS "heldOut", i.verdict, t.outcome, t.verification
     FROM memory_injections i JOIN memory_trials t ON t.iteration_id = i.iteration_id
     WHERE i.memory_id = ? ORDER BY t.began_at DESC, t.iteration_id DESC LIMIT ?`,
    [memoryId, limit],
  );
  return rows.toReversed().map((row) => ({ ...row, heldOut: Number(row.heldOut) === 1 }));
}

/** Deletes all records of the impressions of erased memories. */
export async function eraseInjections(tx: Tx, memoryIds: readonly string[]): Promise<void> {
  for (const id of memoryIds) await tx.run("DELETE FROM memory_injections WHERE memory_id = ?", [id]);
}

/**
 * Records a running iteration's verdict on a memory that its prompt showed (LEARN-6). Like `<memory-used>` it counts once,
 * together with the verified outcome. A repeated verdict changes nothing; a different one replaces the first.
 * RALPH_MEMORY_NOT_SHOWN when the prompt did not show the memory.
 */
export async function judgeMemory(tx: Tx, judgment: Judgment, now: Date): Promise<void> {
  const { iterationId, memoryId, verdict } = judgment;
  const trial = await openTrial(tx, iterationId);
  const shown = trial && !trial.heldOut ? await shownIn(tx, iterationId) : [];
  if (!shown.includes(memoryId)) {
    const listed = shown.length > 0 ? `it showed ${shown.join(", ")}` : "it showed none";
    throw new RalphError(
      "RALPH_MEMORY_NOT_SHOWN",
      `this session's prompt did not show ${JSON.stringify(memoryId)}: ${listed}`,
      { hint: "report only on memories from the prompt, during the iteration" },
    );
  }
  if ((await verdictsIn(tx, iterationId)).get(memoryId) === verdict) return;
  await putVerdict(tx, judgment, now);
}
