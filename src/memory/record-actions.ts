import type { RedactedText } from "../base/safe-text.ts";
import type { Db, Tx } from "../store/port/db.ts";
import { safeLine } from "../trust/safe-text.ts";
import type { Provenance } from "./learnings/store/learning.ts";
import { newLearning, putLearnings } from "./learnings/store/learning-store.ts";
import {
  contentHash,
  isSubstantive,
  splitLesson,
  storableText,
  storableWhen,
} from "./learnings/store/learning-text.ts";
import { findByHash } from "./learnings/store/read-learnings.ts";
import type { LearningRecord, RecordEntry, RecordList } from "./port/record.ts";
import { type ReadRecord, readRecordFile } from "./records/read-record-file.ts";
import { recordName } from "./records/record-file.ts";
import { countRecords, insertRecord, listRecords, type RecordFilter } from "./records/record-store.ts";

/** A record as people and other rooms see it. */
export type RecordView = LearningRecord;

interface RecordImport {
  readonly imported: number;
  /** Records that existed already. */
  readonly unchanged: number;
  /** New learnings made of them. */
  readonly learnings: number;
  /** Those of them that wait for approval. */
  readonly quarantined: number;
  /** Files without a record, with the reason; at most 20. */
  readonly problems: readonly { readonly file: string; readonly problem: string }[];
}

/** The actions of people on the records of attempts (LEARN-3). */
export interface RecordActions {
  /** Returns records, newest first. */
  list(filter: RecordFilter): Promise<readonly RecordView[]>;
  count(filter: Omit<RecordFilter, "limit">): Promise<number>;
  /**
   * Imports record files that anyone may have written. Unless `approved`, the learnings made of them are quarantined, and
   * a record is evidence only for those of them that a person approves. Imported records are never verified.
   */
  import(
    files: readonly { readonly name: string; readonly text: string }[],
    options: { readonly approved: boolean },
  ): Promise<RecordImport>;
}

/** Files per transaction: other processes wait for it. */
const filesPerTransaction = 50;

/** Opens the records of a project. */
export function openRecordActions({ db, now }: { readonly db: Db; readonly now: () => Date }): RecordActions {
  return {
    list: (filter) => listRecords(db, filter),
    count: (filter) => countRecords(db, filter),
    import: async (files, { approved }) => {
      const problems: { file: string; problem: string }[] = [];
      const read: Source[] = [];
      for (const { name, text } of files) {
        const record = readRecordFile(text, name, now());
        if ("problem" in record) problems.push({ file: name, problem: record.problem });
        else read.push({ record, origin: safeLine(name, 200), approved });
      }
      const sum = { imported: 0, unchanged: 0, learnings: 0, quarantined: 0 };
      for (let at = 0; at < read.length; at += filesPerTransaction) {
        await db.transaction(async (tx) => {
          for (const source of read.slice(at, at + filesPerTransaction)) {
            const learnings = await importRecord(tx, source, now());
            sum[learnings === null ? "unchanged" : "imported"] += 1;
            sum.learnings += learnings ?? 0;
            sum.quarantined += approved ? 0 : (learnings ?? 0);
          }
        });
      }
      return { ...sum, problems: problems.slice(0, 20) };
    },
  };
}

interface Source {
  readonly record: ReadRecord;
  readonly origin: RedactedText;
  readonly approved: boolean;
}

/** Returns the number of new learnings; null when the store has the record already. */
async function importRecord(tx: Tx, source: Source, now: Date): Promise<number | null> {
  const { record, origin, approved } = source;
  const same = (await listRecords(tx, { task: record.taskId, recordedAt: record.recordedAt })).some(
    (known) => textOf(known.entries) === textOf(record.entries),
  );
  if (same) return null;
  let stored = 0;
  const entries: RecordEntry[] = [];
  for (const entry of record.entries) {
    const { learningId, isNew } = await learningOf(tx, entry, source, now);
    entries.push({ ...entry, learningId });
    if (isNew) stored += 1;
  }
  const own = {
    attempt: null,
    runId: null,
    iterationId: null,
    verified: false,
    error: null,
    tags: [],
    files: [],
  };
  const name = recordName(record.taskId, record.recordedAt);
  await insertRecord(tx, { ...record, ...own, origin, approved, entries }, name);
  return stored;
}

function textOf(entries: readonly RecordEntry[]): string {
  return JSON.stringify(
    entries.map(({ list, content, category, supplement }) => [list, content, category, supplement]),
  );
}

const categories: Readonly<Partial<Record<RecordList, string>>> = {
  successes: "success_pattern",
  failures: "pitfall",
  discoveries: "debugging_technique",
};

/** Makes a learning of an entry, or finds the one with the same words; null for an entry that is none. */
async function learningOf(
  tx: Tx,
  entry: RecordEntry,
  { record, origin, approved }: Source,
  now: Date,
): Promise<{ readonly learningId: string | null; readonly isNew: boolean }> {
  const category = categories[entry.list];
  const parts = entry.list === "failures" ? [entry.content, entry.supplement] : [entry.content];
  const text = storableText(parts.filter(Boolean).join(/[.!?;:]$/.test(entry.content) ? " " : ": "));
  if (category === undefined || !isSubstantive(text)) return { learningId: null, isNew: false };
  const { lesson, detail } = splitLesson(text);
  const known = await findByHash(tx, contentHash(lesson, detail));
  if (known) return { learningId: known.id, isNew: false };
  const topic = safeLine(entry.category);
  const none = { runId: null, iterationId: null, agent: null, model: null };
  const provenance: Provenance = { source: "import", origin, task: record.taskId, ...none };
  const when = storableWhen(entry.when ?? "");
  const fields = { lesson, detail, when, category: safeLine(category), topic, tags: [topic], provenance };
  const fresh = await newLearning(tx, fields, now);
  const learning = approved ? fresh : ({ ...fresh, status: "quarantined", statusBefore: "active" } as const);
  const detailOf = { from: origin, record: recordName(record.taskId, record.recordedAt) };
  await putLearnings(tx, [{ learning, change: "imported", by: "person", detail: detailOf }], {
    runId: null,
    now,
  });
  return { learningId: fresh.id, isNew: true };
}
