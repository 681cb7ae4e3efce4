import { safe } from "../../base/safe-text.ts";
import type { Reader } from "../../store/port/db.ts";
import { counted } from "../port/kind-commands.ts";
import type { KindSetup, MemoryKind, OpenedKind, RunLearned } from "../port/memory-kind.ts";
import type { LearningRecord } from "../port/record.ts";
import { buildRecord, extractedEntries } from "./build-record.ts";
import instructions from "./instructions.md";
import { recordName } from "./record-file.ts";
import {
  appendEntries,
  countRecords,
  eraseEntriesWithoutLearning,
  eraseRecords,
  insertRecord,
  listRecords,
  recordsOfPurge,
  storedIds,
} from "./record-store.ts";
import { removeRecordFiles, repairRecordFiles, writeRecordFiles } from "./write-record-files.ts";

/** The records of judged attempts, each also a file in `learnings.dir` (LEARN-3). Prompts show none of them. */
export const recordKind: MemoryKind = {
  name: "records",
  open: openRecords,
  purge: {
    label: "record",
    toJson: ({ count }) => ({ records: count }),
    plan: async (q, { runId }) => counted(runId === null ? 0 : await countRecords(q, { runId })),
    removeFiles: async (q, { root, recordsDir, runId }, erased) => {
      const ids = await recordsOfPurge(q, runId, erased);
      for (let at = 0; at < ids.length; at += perRead) {
        const records = await listRecords(q, { ids: ids.slice(at, at + perRead) });
        await removeRecordFiles({ root, dir: recordsDir }, records);
      }
    },
    writeFiles: (q, { root, recordsDir }) => repairRecordFiles(q, { root, dir: recordsDir }),
    erase: async (tx, _, { runId }) => {
      await eraseEntriesWithoutLearning(tx);
      if (runId === null) return counted(0);
      const ids = (await listRecords(tx, { runId })).map(({ id }) => id);
      await eraseRecords(tx, ids);
      return counted(ids.length);
    },
  },
  report: recordedIn,
};

const perRead = 100;

/** Returns what the attempts of a run missed; the number of records is that of its attempts. */
async function recordedIn(q: Reader, runId: string): Promise<RunLearned> {
  const entries = (await listRecords(q, { runId })).toReversed().flatMap((record) => record.entries);
  const named = (list: "missing_context" | "wished_for_skills"): readonly string[] => [
    ...new Set(entries.flatMap((entry) => (entry.list === list ? [entry.content] : []))),
  ];
  return {
    captured: [],
    helped: [],
    missingContext: named("missing_context"),
    wishedSkills: named("wished_for_skills"),
  };
}

function openRecords({ root, recordsDir }: KindSetup): OpenedKind {
  const folder = recordsDir === null ? null : { root, dir: recordsDir };
  const owed = new Map<string, LearningRecord>();
  let isRepaired = false;
  return {
    name: "records",
    // A first attempt's prompt has no room for it (PROMPT-6), and a retry knows better what was missing.
    instructions: (recalled) =>
      recalled.some(({ section, items }) => section === "attempts" && items.length > 0)
        ? instructions
        : safe``,
    capture: async (tx, captured, now) => {
      const fields = await buildRecord(tx, captured, now);
      const record = await insertRecord(tx, fields, recordName(fields.taskId, fields.recordedAt));
      owed.set(record.id, record);
    },
    captureExtracted: async (tx, captured) => {
      const [record] = await listRecords(tx, { iterationId: captured.outcome.iterationId });
      if (!record) return;
      const entries = await extractedEntries(tx, captured, record.entries);
      await appendEntries(tx, record, entries);
      owed.set(record.id, { ...record, entries: [...record.entries, ...entries] });
    },
    recall: async () => [],
    finishCapture: async (db) => {
      if (folder === null) return;
      if (!isRepaired) await repairRecordFiles(db, folder);
      isRepaired = true;
      const records = [...owed.values()];
      owed.clear();
      if (records.length === 0) return;
      // A transaction that was rolled back stored none.
      const stored = await storedIds(
        db,
        records.map(({ id }) => id),
      );
      await writeRecordFiles(
        folder,
        records.filter(({ id }) => stored.has(id)),
      );
    },
  };
}
