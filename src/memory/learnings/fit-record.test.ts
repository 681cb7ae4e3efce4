import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Db } from "../../store/port/db.ts";
import { lessonShift, readFitRecord } from "./fit-record.ts";
import { insertTrial, settleTrial, type Verdict } from "./store/injection-store.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const none = {
  ...{ timesSeen: 1, timesShown: 0, shownPassed: 0, shownFailed: 0 },
  ...{ saidHelpful: 0, saidHarmful: 0, tasksPassed: 0, tasksFailed: 0 },
};

interface Attempt {
  readonly evidence?: string;
  readonly verdict?: Verdict;
  readonly passed?: boolean;
  readonly heldOut?: boolean;
  readonly silenced?: boolean;
}

async function record(db: Db, count: number, attempt: Attempt): Promise<void> {
  const { evidence = "words", verdict, passed = true, heldOut = false, silenced = false } = attempt;
  await db.transaction(async (tx) => {
    for (let n = 0; n < count; n += 1) {
      const iterationId = `${JSON.stringify(attempt)}-${n}`;
      const place = { iterationId, runId: "run-1" };
      const shown = [{ memoryId: "l-1", rank: 1, score: 1, evidence }];
      await insertTrial(
        tx,
        { ...place, taskId: "t-1", attempt: n, model: "m", heldOut, silenced },
        shown,
        now,
      );
      const end = passed
        ? { outcome: "done", verification: "passed" }
        : { outcome: "failed", verification: "failed" };
      const verdicts = new Map(verdict ? [["l-1", verdict] as const] : []);
      await settleTrial(tx, { ...place, ...end, verdicts });
    }
  });
}

test("LEARN-11: without outcomes nothing changes", async () => {
  expect(await readFitRecord(await openTempStore())).toEqual({ overall: 0, byEvidence: new Map() });
  expect(lessonShift(none)).toBe(0);
});

test("LEARN-11: verdicts move a kind of evidence, within bounds; those of failed attempts do not count as help", async () => {
  const db = await openTempStore();
  await record(db, 3, { evidence: "the same error", verdict: "helpful" });
  await record(db, 500, { evidence: "words", verdict: "harmful", passed: false });
  await record(db, 9, { evidence: "a file of the task", verdict: "helpful", passed: false });
  const { byEvidence } = await readFitRecord(db);
  expect(byEvidence.get("the same error")).toBeCloseTo(Math.log(7 / 4), 6);
  expect(byEvidence.get("words")).toBe(-0.7);
  expect(byEvidence.get("a file of the task")).toBe(0);
});

test("LEARN-11 LEARN-6: a verdict on a learning that only measures the silence says nothing about its kind of evidence", async () => {
  const db = await openTempStore();
  await record(db, 3, { verdict: "helpful" });
  await record(db, 50, { verdict: "harmful", silenced: true });
  expect((await readFitRecord(db)).byEvidence.get("words")).toBeCloseTo(Math.log(7 / 4), 6);
});

test("LEARN-11 LEARN-6: where hold-outs show that memory harms, it becomes quieter; where silence harms, bolder", async () => {
  const harmed = await openTempStore();
  await record(harmed, 40, { passed: false });
  await record(harmed, 40, { heldOut: true });
  expect((await readFitRecord(harmed)).overall).toBe(-0.5);

  const tooQuiet = await openTempStore();
  await record(tooQuiet, 30, { silenced: true });
  await record(tooQuiet, 10, { silenced: true, passed: false });
  await record(tooQuiet, 20, { silenced: true, heldOut: true });
  await record(tooQuiet, 20, { silenced: true, heldOut: true, passed: false });
  // 75% beside 50%, with 40 attempts on each side: twice the difference, trusted by half.
  expect((await readFitRecord(tooQuiet)).overall).toBeCloseTo(0.25, 6);
});

test("LEARN-11: a learning that helped becomes more probable, one that misled or is always ignored less", () => {
  expect(lessonShift({ ...none, timesShown: 2, saidHelpful: 1 })).toBeCloseTo(Math.log(2 / 1.05), 6);
  expect(lessonShift({ ...none, timesShown: 1, saidHarmful: 1 })).toBeCloseTo(-Math.log(2), 6);
  expect(lessonShift({ ...none, timesShown: 20 })).toBeCloseTo(-Math.log(2), 6);
  expect(lessonShift({ ...none, timesShown: 100, saidHelpful: 100 })).toBe(1);
  expect(lessonShift({ ...none, timesShown: 1000 })).toBe(-1);
});
