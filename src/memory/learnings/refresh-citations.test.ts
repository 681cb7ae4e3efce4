import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { learnt, passed, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Db } from "../../store/port/db.ts";
import { createTask, getTask } from "../../tasks/graph/task-store.ts";
import type { OpenedKind } from "../port/memory-kind.ts";
import { learningMemory } from "./learning-memory.ts";
import { listLearnings } from "./store/read-learnings.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
let db: Db;
let root: string;
let kind: OpenedKind;

beforeEach(async () => {
  db = await openTempStore();
  root = mkdtempSync(join(tmpdir(), "ralph-cite-"));
  kind = learningMemory({ root, now: () => now, maxLearnings: 5, holdout: 0 });
  for (const id of ["t-1", "t-2"]) await db.transaction((tx) => createTask(tx, { id, title: id }, now));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (file: string, text: string): void => writeFileSync(join(root, file), text);
const capture = (outcome: Outcome): Promise<void> =>
  db.transaction(async (tx) => kind.capture(tx, { outcome, task: await getTask(tx, outcome.taskId) }, now));

/** The status of the one learning once a prompt of `t-2` showed it. */
async function statusWhenShown(n: number): Promise<string | undefined> {
  const [one] = await listLearnings(db);
  const items = [{ section: "learnings", id: String(one?.id), score: 1 }];
  const run = { runId: "run-1", taskId: "t-2", attempt: n, model: "m", prompt: "", withheld: [] };
  await db.transaction(async (tx) =>
    kind.recordShown?.(tx, { iterationId: `i-show-${n}`, ...run, items }, now),
  );
  return (await listLearnings(db))[0]?.status;
}

test("LEARN-7: the work of a lesson's own task leaves it fresh; what others change afterwards makes it stale", async () => {
  write("a.ts", "one\n");
  const lesson = learnt("The parser of a.ts reads dates in UTC, never in local time.");
  await capture(sampleOutcome({ claims: saying({ memory: lesson }) }));
  write("a.ts", "two\n");
  const work = { ...sampleOutcome().work, files: ["a.ts"] };
  await capture(sampleOutcome({ attempt: 2, ...passed, work }));
  expect(await statusWhenShown(1)).toBe("active");
  write("a.ts", "three\n");
  await capture(sampleOutcome({ taskId: "t-2", ...passed, work }));
  expect(await statusWhenShown(2)).toBe("stale");
});

test("LEARN-7: a lesson that a prompt found stale between two attempts of its task is fresh once the task is done", async () => {
  write("a.ts", "one\n");
  const lesson = learnt("The parser of a.ts reads dates in UTC, never in local time.");
  await capture(sampleOutcome({ claims: saying({ memory: lesson }) }));
  // The failed attempt is rolled back: the file is another than the lesson cites.
  write("a.ts", "before\n");
  expect(await statusWhenShown(1)).toBe("stale");
  write("a.ts", "done\n");
  await capture(sampleOutcome({ attempt: 2, ...passed, work: { ...sampleOutcome().work, files: ["a.ts"] } }));
  expect((await listLearnings(db)).map(({ status }) => status)).toEqual(["active"]);
  expect(await statusWhenShown(2)).toBe("active");
});

test("LEARN-7: a file that the task did not change stays changed", async () => {
  write("a.ts", "one\n");
  const lesson = learnt("The parser of a.ts reads dates in UTC, never in local time.");
  await capture(sampleOutcome({ claims: saying({ memory: lesson }) }));
  write("a.ts", "a person's\n");
  await capture(sampleOutcome({ attempt: 2, ...passed, work: { ...sampleOutcome().work, files: ["b.ts"] } }));
  expect(await statusWhenShown(1)).toBe("stale");
});
