import { beforeEach, expect, test } from "vitest";
import { learnt, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { sampleTask } from "../../../test/sample-prompt.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { openStore } from "../../store/open-store.ts";
import type { Db, Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { byCommand, openLearningActions } from "../learning-actions.ts";
import type { OpenedKind } from "../port/memory-kind.ts";
import { learningMemory } from "./learning-memory.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const lesson = (n: string): string => `Importer ${n}: parse ISO dates in UTC, or leap days fail.`;
const dates = sampleTask({ id: "t-2", title: "Parse ISO dates of the importer in UTC" });
let db: Db;
let kind: OpenedKind;
let asked: number;
let reader: Reader;

beforeEach(async () => {
  db = await openTempStore();
  kind = learningMemory({ root: "/nonexistent", now: () => now, maxLearnings: 5, holdout: 0 });
  asked = 0;
  reader = {
    dialect: db.dialect,
    all: (sql, params) => {
      asked += 1;
      return db.all(sql, params);
    },
    get: (sql, params) => {
      asked += 1;
      return db.get(sql, params);
    },
  };
  await store(db, lesson("one"));
});

async function store(to: Db, text: string): Promise<void> {
  const about = { category: "pitfall", topic: null, tags: [], files: [], scope: "project" };
  const actions = openLearningActions({ db: to, root: "/nonexistent", now: () => now });
  await actions.store({ text, ...about, provenance: byCommand(null) });
}

async function recalled(task: Task): Promise<{ readonly told: number; readonly asked: number }> {
  const before = asked;
  const run = { attempt: 1, runId: "run-1", iteration: 1, seed: "seed-1" };
  const sections = await kind.recall(reader, { ...run, task });
  return { told: sections[0]?.items.length ?? 0, asked: asked - before };
}

test("LEARN-4: what was looked for ahead is found at once, and once", async () => {
  // Reads the record of the project, once.
  await recalled(dates);
  const first = await recalled(dates);
  expect(first.told).toBe(1);
  await kind.prefetch?.(reader, dates);
  const second = await recalled(dates);
  expect(second.told).toBe(1);
  expect(second.asked).toBeLessThan(first.asked - 3);
  expect(await recalled(dates)).toEqual(first);
});

test("LEARN-4: what was looked for ahead does not count once another process has written", async () => {
  await kind.prefetch?.(reader, dates);
  const other = await openStore({ path: db.location });
  await store(other, lesson("two and more of it"));
  await other.close();
  expect((await recalled(dates)).told).toBe(2);
});

test("LEARN-4: nor once an attempt has taught something, nor for another task or a changed one", async () => {
  await kind.prefetch?.(reader, dates);
  const outcome = sampleOutcome({
    taskId: "t-1",
    claims: saying({ memory: learnt(lesson("two, by the week")) }),
  });
  await db.transaction((tx) => kind.capture(tx, { outcome, task: dates }, now));
  expect((await recalled(dates)).told).toBe(2);
  await kind.prefetch?.(reader, dates);
  const unlike = { ...dates, title: "Draw a chart of sales by region" };
  expect((await recalled(unlike)).told).toBe(0);
});
