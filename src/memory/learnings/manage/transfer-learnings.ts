import { clip } from "../../../base/text.ts";
import type { Reader, Row, Tx } from "../../../store/port/db.ts";
import { isUsable, type Learning } from "../store/learning.ts";
import { toRow } from "../store/learning-row.ts";
import {
  freeId,
  importLearnings,
  type LearningChange,
  putHistory,
  putLearnings,
} from "../store/learning-store.ts";
import { getLearning, getLearnings } from "../store/read-learnings.ts";
import { type ExportEntry, idForm, type ReadExport } from "./read-export.ts";

const pageSize = 500;

/** Yields all learnings as lines of JSON, each with its history, oldest first. */
export async function* exportLines(q: Reader): AsyncGenerator<string> {
  const ids = await q.all<{ id: string }>("SELECT id FROM learnings ORDER BY created_at, id");
  for (let at = 0; at < ids.length; at += pageSize) {
    const page = await getLearnings(
      q,
      ids.slice(at, at + pageSize).map(({ id }) => id),
    );
    const histories = await historyRows(
      q,
      page.map(({ id }) => id),
    );
    for (const learning of page) {
      const row = toRow(learning, learning.provenance.task);
      yield JSON.stringify({ learning: row, history: histories.get(learning.id) ?? [] });
    }
  }
}

async function historyRows(q: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Row[]>> {
  if (ids.length === 0) return new Map();
  const rows = await q.all<Row>(
    `SELECT * FROM learning_history WHERE learning_id IN (${ids.map(() => "?").join(", ")}) ORDER BY number`,
    ids,
  );
  const byId = new Map<string, Row[]>();
  for (const row of rows) {
    const id = String(row["learning_id"]);
    const own = byId.get(id);
    if (own) own.push(row);
    else byId.set(id, [row]);
  }
  return byId;
}

export interface ImportReport {
  readonly imported: number;
  /** Learnings that existed already, with the same text. */
  readonly unchanged: number;
  /** Learnings that got a new id, because another learning had theirs. */
  readonly renamed: number;
  readonly quarantined: number;
  /** Learnings with times in the future, which were replaced by the current time. */
  readonly redated: number;
  /** Lines without a valid learning, with the reason; at most 20. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/**
 * Imports an export with its history, and adds to it the arrival of what prompts may show. Unless `approved`, all of it is quarantined until a person approves it, whatever
 * source it states.
 */
export async function importLines(
  tx: Tx,
  { entries, problems, redated }: ReadExport,
  { approved, origin, now }: { readonly approved: boolean; readonly origin: string; readonly now: Date },
): Promise<ImportReport> {
  const { fresh, names, unchanged } = await nameEntries(tx, entries);
  const named = (id: string): string => names.get(id) ?? id;
  const all = fresh.map(({ id, entry: { learning, history } }): ExportEntry => {
    const quarantine = !approved && learning.status !== "quarantined";
    const renamed: Learning = {
      ...learning,
      id,
      derivedFrom: learning.derivedFrom.map(named),
      supersededBy: null,
      ...(quarantine ? { status: "quarantined", statusBefore: learning.status, provenAt: null } : {}),
    };
    return { learning: renamed, history: history.map((row) => ({ ...row, learning_id: renamed.id })) };
  });
  // `supersededBy` is written after all learnings, because a learning can refer to a later one.
  await importLearnings(
    tx,
    all.map(({ learning }) => learning),
    now,
  );
  const superseded: Learning[] = [];
  for (const [at, { learning }] of all.entries()) {
    const by = fresh[at]?.entry.learning.supersededBy;
    if (by && named(by) !== learning.id && (await getLearning(tx, named(by))))
      superseded.push({ ...learning, supersededBy: named(by) });
  }
  await importLearnings(tx, superseded, now);
  await putHistory(
    tx,
    all.flatMap(({ history }) => history),
  );
  const arrived = approved ? all.filter(({ learning }) => isUsable(learning)) : all;
  await putLearnings(tx, await arrivals(tx, arrived, clip(origin, 200)), { runId: null, now });
  return {
    imported: all.length,
    unchanged,
    renamed: fresh.filter(({ id, entry }) => id !== entry.learning.id).length,
    quarantined: all.filter(({ learning }) => learning.status === "quarantined").length,
    redated,
    problems: problems.slice(0, 20),
  };
}

interface NamedEntries {
  /** Learnings that do not exist yet, each with its id in this store. */
  readonly fresh: readonly { readonly id: string; readonly entry: ExportEntry }[];
  /** Maps an id of the file to the id in this store. */
  readonly names: ReadonlyMap<string, string>;
  readonly unchanged: number;
}

/** Assigns ids: each entry's own, unless the store or an earlier line has another text under that id. */
async function nameEntries(tx: Tx, entries: readonly ExportEntry[]): Promise<NamedEntries> {
  const names = new Map<string, string>();
  const earlier = new Map<string, Learning>();
  const used = new Set(entries.map(({ learning }) => learning.id));
  const fresh: { id: string; entry: ExportEntry }[] = [];
  for (const entry of entries) {
    const { learning } = entry;
    const valid = idForm.test(learning.id);
    const existing = earlier.get(learning.id) ?? (valid ? await getLearning(tx, learning.id) : undefined);
    if (existing?.lesson === learning.lesson && existing.detail === learning.detail) continue;
    let { id } = learning;
    if (existing || !valid)
      do id = await freeId(tx);
      while (used.has(id));
    used.add(id);
    if (!earlier.has(learning.id)) {
      earlier.set(learning.id, learning);
      names.set(learning.id, id);
    }
    fresh.push({ id, entry });
  }
  return { fresh, names, unchanged: entries.length - fresh.length };
}

/** Returns a history entry with the origin for each imported learning, from which its age counts. */
async function arrivals(
  tx: Tx,
  all: readonly ExportEntry[],
  from: string,
): Promise<readonly LearningChange[]> {
  const learnings = await getLearnings(
    tx,
    all.map(({ learning }) => learning.id),
  );
  return learnings.map((learning) => ({ learning, change: "imported", by: "person", detail: { from } }));
}
