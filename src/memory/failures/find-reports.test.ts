import { expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { sampleOutcome } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { safe } from "../../base/safe-text.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import type { Db } from "../../store/port/db.ts";
import { addTask } from "../../tasks/graph/task-graph.ts";
import { openMemory } from "../memory.ts";
import { type MemoryActions, openMemoryActions } from "../memory-actions.ts";
import { examineIndex } from "../repair-index.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

async function failedOnce(): Promise<{ readonly db: Db; readonly actions: MemoryActions }> {
  const db = await openTempStore();
  const memory = openMemory({ ...memorySetup, db });
  const outcome = sampleOutcome({
    category: safe`type_error`,
    errorExcerpt: "src/dates.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
  });
  await db.transaction(async (tx) => {
    await tx.run("INSERT INTO runs (id, started_at) VALUES ('run-1', '')");
    await addTask(tx, { task: { id: "t-1", title: "Convert the dates of the export" }, after: [] }, now);
    await recordOutcome(tx, outcome);
    await memory.capture(tx, outcome, now);
  });
  return { db, actions: openMemoryActions({ db, now: () => now }) };
}

async function idsFor(actions: MemoryActions, text: string, tags: readonly string[] = []) {
  const { found } = await actions.find({ text, limit: 5, scope: null, tags });
  return found.map(({ id }) => id);
}

test("HIVE-5: a failure report is found by words, by tags and by its category", async () => {
  const { actions } = await failedOnce();
  const id = `t-1#${sampleOutcome().attempt}`;
  for (const query of ["TS2322 dates", "ralph failure type_error", "ralph,failure", "failure,type_error"])
    expect(await idsFor(actions, query)).toEqual([id]);
  // A comma before a space belongs to a sentence.
  expect(await idsFor(actions, "nothing, failure")).toEqual([id]);
  expect(await idsFor(actions, "nothing,failure")).toEqual([id]);
  expect(await idsFor(actions, "failure")).toEqual([id]);
  expect(await idsFor(actions, "dates", ["failure"])).toEqual([id]);
  expect(await idsFor(actions, "dates", ["learning"])).toEqual([]);
  expect(await idsFor(actions, "ralph,failure,timeout")).toEqual([id]);
  expect(await actions.find({ text: "dates", limit: 5, scope: "other", tags: [] })).toMatchObject({
    found: [],
  });
});

test("HIVE-5: the index follows the reports: a purge removes them, and a store of before gets them", async () => {
  const { db, actions } = await failedOnce();
  await db.transaction((tx) => tx.run("DELETE FROM retrieval_documents"));
  expect(await idsFor(actions, "TS2322")).toHaveLength(1);
  expect((await examineIndex(db)).documents).toContain("1 failure report");
  await actions.purge(await actions.planPurge({ ids: [], runId: "run-1" }));
  expect(await idsFor(actions, "ralph,failure")).toEqual([]);
  expect(await examineIndex(db)).toMatchObject({ isComplete: true });
});
