import { expect, test } from "vitest";
import { sampleDocument, sourceOf } from "../../test/temp-documents.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { countIndexed } from "../search/check-index.ts";
import type { DocumentSource } from "../search/document.ts";
import { addDocuments } from "../search/index-documents.ts";
import type { Db } from "../store/port/db.ts";
import { byCommand, openLearningActions } from "./learning-actions.ts";
import { learningSource } from "./learnings/store/learning-index.ts";
import { completeIndex, ensureIndex, repairIndex } from "./repair-index.ts";

const notes = ["Queues are drained before the mailer restarts.", "Zebras are striped."].map((title, at) =>
  sampleDocument({ id: `n-${at}`, kind: "note", title }),
);

/** A second kind beside learnings, and how often all of it was read: once for each rebuild. */
function withNotes(): {
  readonly sources: readonly DocumentSource[];
  rebuilds(): number;
} {
  const kept = sourceOf(notes, "note");
  let reads = 0;
  const note: DocumentSource = {
    ...kept,
    readAll: (q) => {
      reads += 1;
      return kept.readAll(q);
    },
  };
  return { sources: [learningSource, note], rebuilds: () => reads };
}

async function withLearning(): Promise<Db> {
  const db = await openTempStore();
  await openLearningActions({ db, root: "/nonexistent", now: () => new Date() }).store({
    ...{ text: "Zones are parsed before days here.", category: "pitfall", tags: [], files: [] },
    ...{ scope: "project", topic: null, provenance: byCommand(null) },
  });
  return db;
}

const counts = async (db: Db): Promise<readonly number[]> => [
  await countIndexed(db, "learning"),
  await countIndexed(db, "note"),
];

test("LEARN-4: an index that holds a second kind whole is not rebuilt", async () => {
  const db = await withLearning();
  const { sources, rebuilds } = withNotes();
  await db.transaction((tx) => addDocuments(tx, notes));
  for (const repair of [repairIndex, completeIndex, ensureIndex]) await repair(db, sources);
  expect(await counts(db)).toEqual([1, 2]);
  expect(rebuilds()).toBe(0);
});

test.each([
  ["a document of it is missing", [notes[0]]],
  ["it is not indexed at all", []],
  [
    "one of it is missing and a learning too many",
    [notes[0], sampleDocument({ id: "l-0", kind: "learning" })],
  ],
])("LEARN-4: a second kind is indexed again, once, where %s", async (_, indexed) => {
  const db = await withLearning();
  const { sources, rebuilds } = withNotes();
  await db.transaction((tx) =>
    addDocuments(
      tx,
      indexed.flatMap((document) => document ?? []),
    ),
  );
  for (const repair of [completeIndex, repairIndex, ensureIndex]) await repair(db, sources);
  expect(await counts(db)).toEqual([1, 2]);
  expect(rebuilds()).toBe(1);
});

test("LEARN-4: opening a store indexes the kind that has no document in the index", async () => {
  const db = await withLearning();
  const { sources, rebuilds } = withNotes();
  await ensureIndex(db, sources);
  await ensureIndex(db, sources);
  expect(await counts(db)).toEqual([1, 2]);
  expect(rebuilds()).toBe(1);
});
