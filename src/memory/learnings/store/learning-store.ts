import { newId } from "../../../base/ids.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { EventType } from "../../../events/event.ts";
import { record } from "../../../events/event-store.ts";
import type { Reader, Row, Tx } from "../../../store/port/db.ts";
import { insertRow } from "../../../store/port/rows.ts";
import { redactedText } from "../../../trust/safe-text.ts";
import type { Learning, NewLearning } from "./learning.ts";
import { removeFromIndex, syncIndex } from "./learning-index.ts";
import { toRow } from "./learning-row.ts";

type LearningEvent = Extract<EventType, `learning.${string}`>;
type ChangeOf<T> = T extends `learning.${infer Change}` ? Change : never;

/** One change to one learning, as `ralph memory why` shows it. */
export interface LearningChange {
  readonly learning: Learning;
  /** The kind of change: `captured`, `merged`, `pruned`, … */
  readonly change: ChangeOf<LearningEvent>;
  /** `ralph` for an automatic change, else `person` or `agent`. */
  readonly by: "ralph" | "person" | "agent";
  readonly detail?: JsonObject;
}

interface ChangeOccasion {
  readonly runId: string | null;
  readonly now: Date;
}

/** Maximum number of rows per event. */
const rowsPerEvent = 200;

/** Creates a learning of redacted text with a free id: `l-` and 6 hex digits, more when that one is taken. Writes nothing. */
export async function newLearning(tx: Reader, fields: NewLearning, now: Date): Promise<Learning> {
  return {
    topic: null,
    tags: [],
    files: [],
    scope: "project",
    citations: [],
    derivedFrom: [],
    fixes: [],
    ...fields,
    lesson: redactedText(fields.lesson),
    detail: redactedText(fields.detail ?? ""),
    when: redactedText(fields.when ?? ""),
    id: await freeId(tx),
    status: "active",
    statusBefore: null,
    pinned: false,
    supersededBy: null,
    createdAt: now.toISOString(),
    updatedAt: null,
    validatedAt: null,
    provenAt: null,
    lastUsedAt: null,
    prunedAt: null,
    timesSeen: 1,
    timesShown: 0,
    shownPassed: 0,
    shownFailed: 0,
    saidHelpful: 0,
    saidHarmful: 0,
    tasksPassed: 0,
    tasksFailed: 0,
  };
}

/** Returns an id that no learning has; `draw` returns an id of the given number of random bytes. */
export async function freeId(
  tx: Reader,
  draw: (bytes: number) => string = (bytes) => newId("l", bytes),
): Promise<string> {
  for (let bytes = 3; ; bytes += 1) {
    const id = draw(bytes);
    if (!(await tx.get("SELECT 1 FROM learnings WHERE id = ?", [id]))) return id;
  }
}

/** Writes learnings with their history, their search index and one `learning.<change>` event per kind of change. */
export async function putLearnings(
  tx: Tx,
  changes: readonly LearningChange[],
  { runId, now }: ChangeOccasion,
): Promise<void> {
  for (const [change, group] of grouped(changes)) {
    for (let at = 0; at < group.length; at += rowsPerEvent) {
      const part = group.slice(at, at + rowsPerEvent);
      for (const one of part) await putOne(tx, one, { runId, now });
      const data = { ids: part.map(({ learning }) => learning.id), by: part[0]?.by ?? "ralph" };
      await record(tx, { type: `learning.${change}`, runId, data }, now);
    }
  }
}

function grouped(
  changes: readonly LearningChange[],
): ReadonlyMap<LearningChange["change"], readonly LearningChange[]> {
  const groups = new Map<LearningChange["change"], LearningChange[]>();
  for (const change of changes) {
    const group = groups.get(change.change);
    if (group) group.push(change);
    else groups.set(change.change, [change]);
  }
  return groups;
}

async function putOne(
  tx: Tx,
  { learning, change, by, detail = {} }: LearningChange,
  { runId, now }: ChangeOccasion,
): Promise<void> {
  await upsert(tx, learning);
  await putSignatures(tx, learning);
  const row = {
    learning_id: learning.id,
    number: await nextNumber(tx, learning.id),
    at: now.toISOString(),
    change,
    changed_by: by,
    run_id: runId,
    detail: JSON.stringify(detail),
  };
  await insertRow(tx, "learning_history", row);
  await syncIndex(tx, [learning]);
}

/** None of these columns is in an index. Writing whole rows takes four times as long, and an iteration writes a dozen. */
const updateCounters = `UPDATE learnings SET last_used_at = ?, times_shown = ?, shown_passed = ?, shown_failed = ?,
  said_helpful = ?, said_harmful = ?, tasks_passed = ?, tasks_failed = ? WHERE id = ?`;

/** Writes only the counters and the time of use; no event, no history, no change of the search index. */
export async function countUse(tx: Tx, learnings: readonly Learning[]): Promise<void> {
  for (const learning of learnings) {
    await tx.run(updateCounters, [
      learning.lastUsedAt,
      learning.timesShown,
      learning.shownPassed,
      learning.shownFailed,
      learning.saidHelpful,
      learning.saidHarmful,
      learning.tasksPassed,
      learning.tasksFailed,
      learning.id,
    ]);
  }
}

/** Writes learnings of another store unchanged, without adding to their history. */
export async function importLearnings(tx: Tx, learnings: readonly Learning[], now: Date): Promise<void> {
  for (let at = 0; at < learnings.length; at += rowsPerEvent) {
    const part = learnings.slice(at, at + rowsPerEvent);
    for (const learning of part) {
      await upsert(tx, learning);
      await putSignatures(tx, learning);
    }
    await syncIndex(tx, part);
    await record(tx, { type: "learning.takenover", data: { ids: part.map(({ id }) => id) } }, now);
  }
}

/** Deletes learnings permanently, with their history, and clears references to them. */
export async function eraseLearnings(
  tx: Tx,
  ids: readonly string[],
  { runId, now }: ChangeOccasion,
): Promise<void> {
  for (const id of ids) {
    await removeFromIndex(tx, [id]);
    await tx.run("DELETE FROM learning_signatures WHERE learning_id = ?", [id]);
    await tx.run("DELETE FROM learning_history WHERE learning_id = ?", [id]);
    await tx.run("UPDATE learnings SET superseded_by = NULL WHERE superseded_by = ?", [id]);
    await tx.run("DELETE FROM learnings WHERE id = ?", [id]);
  }
  if (ids.length > 0) await record(tx, { type: "learning.purged", runId, data: { ids: [...ids] } }, now);
}

/** Writes history lines of an export; a line that the learning already has stays. */
export async function putHistory(tx: Tx, lines: readonly Row[]): Promise<void> {
  const names = ["learning_id", "number", "at", "change", "changed_by", "run_id", "detail"];
  for (const line of lines) {
    await tx.run(
      `INSERT INTO learning_history (learning_id, number, at, change, changed_by, run_id, detail)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      names.map((name) => line[name] ?? null),
    );
  }
}

async function upsert(tx: Tx, learning: Learning): Promise<void> {
  const row = toRow(learning, await existingTask(tx, learning.provenance.task));
  await insertRow(tx, "learnings", row, ["id"]);
}

async function existingTask(tx: Tx, task: string | null): Promise<string | null> {
  if (task === null) return null;
  return (await tx.get("SELECT 1 FROM tasks WHERE id = ?", [task])) ? task : null;
}

async function putSignatures(tx: Tx, { id, fixes }: Learning): Promise<void> {
  for (const signature of fixes) {
    await tx.run(
      "INSERT INTO learning_signatures (learning_id, signature) VALUES (?, ?) ON CONFLICT DO NOTHING",
      [id, signature],
    );
  }
}

async function nextNumber(tx: Tx, id: string): Promise<number> {
  const row = await tx.get<{ last: number | null }>(
    "SELECT MAX(number) AS last FROM learning_history WHERE learning_id = ?",
    [id],
  );
  return Number(row?.last ?? 0) + 1;
}
