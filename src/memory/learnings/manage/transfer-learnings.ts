import { clip } from "../../../base/text.ts";
import type { Reader, Row, Tx } from "../../../store/db.ts";
import type { Learning } from "../learning.ts";
import { toRow } from "../store/learning-row.ts";
import {
  freeId,
  importLearnings,
  type LearningChange,
  putHistory,
  putLearnings,
} from "../store/learning-store.ts";
import { getLearning, getLearnings } from "../store/read-learnings.ts";
import { type ExportEntry, format, idForm, type ReadExport, version } from "./read-export.ts";

const pageSize = 500;

/** The whole memory of learnings, a JSON object a line: a header, then each learning with its history, oldest first. */
export async function* exportLines(q: Reader): AsyncGenerator<string> {
  yield JSON.stringify({ format, version });
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
  /** There already, with the same words. */
  readonly unchanged: number;
  /** Ids that another learning had: they came in under a new one. */
  readonly renamed: number;
  readonly quarantined: number;
  /** That say of themselves that they were made or used in the future: taken as of now. */
  readonly redated: number;
  /** Lines that hold no learning, with why; at most 20. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/**
 * Takes over what an export holds: whole, its history included. Unless `approved`, all of it waits in quarantine until
 * a person approves it, wherever it says that it comes from.
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
      ...(quarantine ? { status: "quarantined", statusBefore: learning.status } : {}),
    };
    return { learning: renamed, history: history.map((row) => ({ ...row, learning_id: renamed.id })) };
  });
  // First all of them, then who superseded whom: a row can refer to one that comes later.
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
    now,
  );
  if (!approved) await putLearnings(tx, await arrivals(tx, all, clip(origin, 200)), { runId: null, now });
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
  /** Those that are not there yet, each with the id that it comes in under. */
  readonly fresh: readonly { readonly id: string; readonly entry: ExportEntry }[];
  /** What the others of the file mean by an id. */
  readonly names: ReadonlyMap<string, string>;
  readonly unchanged: number;
}

/** An id for each: its own, unless the store or an earlier line of the file has other words under it. */
async function nameEntries(tx: Tx, entries: readonly ExportEntry[]): Promise<NamedEntries> {
  const names = new Map<string, string>();
  const earlier = new Map<string, Learning>();
  const used = new Set(entries.map(({ learning }) => learning.id));
  const fresh: { id: string; entry: ExportEntry }[] = [];
  for (const entry of entries) {
    const { learning } = entry;
    const valid = idForm.test(learning.id);
    const there = earlier.get(learning.id) ?? (valid ? await getLearning(tx, learning.id) : undefined);
    if (there?.lesson === learning.lesson && there.detail === learning.detail) continue;
    let { id } = learning;
    if (there || !valid)
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

/** Where they came from, as a line of each one's history. */
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
