import { expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempMemory, start } from "../../../test/temp-memory.ts";
import { readClaims } from "../../outcome/read-claims.ts";
import { createTask, requireTask } from "../../tasks/graph/task-store.ts";
import { byCommand } from "../learning-actions.ts";
import { openMemory } from "../memory.ts";
import { exportLines } from "./manage/transfer-learnings.ts";
import { getLearning, listLearnings } from "./store/read-learnings.ts";

const lesson = "Amounts are integer cents; Money.parse refuses anything else.";
const when = "adding a currency or a price";
const stored = { text: lesson, category: "pitfall", tags: [], files: [], scope: "project", topic: null };

test("LEARN-13: a lesson is found by when it applies, and shown with it", async () => {
  const { db, actions } = await openTempMemory();
  const memory = openMemory({ ...memorySetup, db });
  await db.transaction((tx) => createTask(tx, { id: "t-9", title: "Add a currency to the shop" }, start));
  const shown = async (): Promise<readonly string[]> => {
    const task = await requireTask(db, "t-9");
    const all = await memory.recall({ task, attempt: 1, runId: "run-2", iteration: 1, seed: "s" });
    return all.flatMap(({ section, items }) =>
      section === "learnings" ? items.map(({ text }) => text) : [],
    );
  };
  const { learning } = await actions.store({ ...stored, provenance: byCommand(null) });
  expect(await shown()).toEqual([]);
  // Said again by an agent, nothing is added to a person's word; by a person it is.
  const again = { ...stored, when: `When ${when}` };
  await actions.store({ ...again, provenance: byCommand({ taskId: "t-9", runId: null }) });
  expect((await actions.get(learning.id)).when).toBe("");
  await actions.store({ ...again, provenance: byCommand(null) });
  expect((await shown()).join()).toContain(`\n  when: ${when}`);
  const { value: line } = await exportLines(db).next();
  const other = await openTempMemory();
  await other.actions.import(`${line}\n`, { approved: true, origin: "x" });
  expect((await other.actions.get(learning.id)).when).toBe(when);
  await actions.edit(learning.id, { when: "" });
  expect((await actions.get(learning.id)).when).toBe("");
});

test("LEARN-13: an agent states when its lesson applies, and the record has it", async () => {
  const { db } = await openTempMemory();
  const memory = openMemory({ ...memorySetup, db });
  await db.transaction((tx) => createTask(tx, { id: "t-1", title: "Parse amounts" }, start));
  const { memory: stated } = readClaims(
    `<learning category="pitfall" tags="money" when="${when}">${lesson}</learning>`,
    "t-1",
  );
  const outcome = sampleOutcome({ taskId: "t-1", claims: saying({ memory: stated }) });
  await db.transaction((tx) => memory.capture(tx, outcome, new Date("2026-03-01T11:00:00.000Z")));
  const [learning] = await listLearnings(db);
  expect(await getLearning(db, learning?.id ?? "")).toMatchObject({ lesson, when });
  expect(await db.all("SELECT applies_when FROM learning_record_entries")).toEqual([{ applies_when: when }]);
});
