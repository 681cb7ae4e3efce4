import { expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { learnt, passed, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { safe } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import { createTask } from "../../tasks/graph/task-store.ts";
import { openMemory } from "../memory.ts";
import { learnedIn } from "./learned-in-run.ts";
import { listLearnings } from "./store/read-learnings.ts";

const now = memorySetup.now();
const known = safe`type_error:known`;

/** A store in which an agent stated one lesson when it ended an error, and another where nothing had failed. */
async function twoLessons() {
  const db = await openTempStore();
  const memory = openMemory({ ...memorySetup, db });
  const capture = (outcome: Outcome): Promise<void> =>
    db.transaction(async (tx) => {
      await recordOutcome(tx, outcome);
      await memory.capture(tx, outcome, now);
    });
  for (const id of ["t-1", "t-2", "t-3", "t-4", "t-5"])
    await db.transaction((tx) => createTask(tx, { id, title: `Parse dates of ${id}` }, now));
  const plain = learnt("ISO dates in the importer need UTC.");
  await capture(sampleOutcome({ ...passed, claims: saying({ memory: plain }) }));
  const stated = learnt("The importer reads its dates line by line, never whole files.");
  await capture(sampleOutcome({ taskId: "t-2", signature: known }));
  await capture(sampleOutcome({ taskId: "t-2", attempt: 2, ...passed, claims: saying({ memory: stated }) }));
  const lessons = await listLearnings(db);
  const idOf = (isFix: boolean): string =>
    `${lessons.find(({ fixes }) => fixes.includes(known) === isFix)?.id}`;
  const [fix, other] = [idOf(true), idOf(false)];
  /** Shows both in the prompt of the task's second attempt, whose first failed with the known error. */
  const attempt = async (taskId: string, ending: Partial<Outcome>): Promise<void> => {
    const ref = { iterationId: `i-${taskId}`, runId: "run-2", taskId, attempt: 2, model: "m" };
    const items = [fix, other].map((id, at) => ({ section: "learnings", id, score: 2 - at }));
    await capture(sampleOutcome({ taskId, signature: known }));
    await db.transaction((tx) => memory.recordShown(tx, { ...ref, prompt: "", items, withheld: [] }, now));
    await capture(sampleOutcome({ ...ref, ...ending }));
  };
  const counts = async () =>
    Object.fromEntries((await listLearnings(db)).map((one) => [one.id, [one.timesShown, one.saidHelpful]]));
  return { db, fix, other, attempt, counts };
}

test("LEARN-6 LEARN-11: shown at a success is not helped; the fix of an error that is gone is", async () => {
  const { db, fix, other, attempt, counts } = await twoLessons();
  await attempt("t-3", passed);
  expect(await counts()).toEqual({ [fix]: [1, 1], [other]: [1, 0] });
  // The same error again: nothing helped. Another error: the fix did, though the attempt failed.
  await attempt("t-4", { signature: known });
  expect(await counts()).toEqual({ [fix]: [2, 1], [other]: [2, 0] });
  await attempt("t-5", { signature: safe`test_failure:later` });
  expect(await counts()).toEqual({ [fix]: [3, 2], [other]: [3, 0] });
  const { shown, helped } = await learnedIn(db, "run-2");
  expect(shown).toEqual([{ what: "learning", count: 2 }]);
  expect(helped).toEqual([
    { id: fix, how: "the error that it is a fix for was gone after attempt 2 of t-3" },
  ]);
});

test("LEARN-6: an agent's verdict counts, also against the evidence", async () => {
  const { db, fix, other, attempt, counts } = await twoLessons();
  const verdicts = [
    { id: other, helpful: true },
    { id: fix, helpful: false },
  ];
  const memory = { ...sampleOutcome().claims.memory, verdicts };
  await attempt("t-3", { ...passed, claims: saying({ memory }) });
  expect(await counts()).toEqual({ [fix]: [1, 0], [other]: [1, 1] });
  expect((await learnedIn(db, "run-2")).helped).toEqual([
    { id: other, how: "t-3 passed on attempt 2, and its agent called it helpful" },
  ]);
});
