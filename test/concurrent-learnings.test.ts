import { beforeEach, expect, test } from "vitest";
import { summarizeLearnings } from "../src/memory/learnings/maintain-learnings.ts";
import { getLearnings, listLearnings } from "../src/memory/learnings/store/read-learnings.ts";
import { pruneMemory } from "../src/memory/maintain-memory.ts";
import type { Db } from "../src/store/port/db.ts";
import { difficultyOf } from "../src/strategy/task-metrics.ts";
import { actionsOn, day, fill, memoryOf, start, useDaily } from "./stored-learnings.ts";
import { openTempStore } from "./temp-store.ts";

let db: Db;

beforeEach(async () => {
  db = await openTempStore();
});

test("LEARN-1: an export is of one moment, whatever is written while it goes on", async () => {
  await fill(
    db,
    Array.from({ length: 501 }, (_, n) => ({ lesson: `Lesson ${n} of the parser is kept here.` })),
  );
  const last = (await listLearnings(db))[0]?.id ?? "";
  const lines: string[] = [];
  await memoryOf(db).export(async (line) => {
    if (lines.push(line) === 2)
      await actionsOn(db).edit(last, { text: "Something else was learnt meanwhile." });
  });
  expect(lines).toHaveLength(502);
  expect(JSON.parse(`${lines.at(-1)}`).learning).toMatchObject({
    id: last,
    content: expect.stringMatching(/^Lesson/),
  });
});

test("LEARN-9: what another process changes while old learnings are put away is not taken back", async () => {
  await fill(db, [{ lesson: "Old lesson one of the parser." }, { lesson: "Old lesson two of the parser." }]);
  const [changed, old] = (await listLearnings(db)).map(({ id }) => id);
  let meanwhile = async (): Promise<unknown> =>
    actionsOn(db).edit(`${changed}`, { text: "New words of a person." });
  const busy: Db = {
    ...db,
    transaction: async (work, options) => {
      const first = meanwhile;
      meanwhile = async () => undefined;
      await first();
      return db.transaction(work, options);
    },
  };
  const prune = { reportsMs: 7 * day, metricsMs: 30 * day, learningsMs: 90 * day, unusedMs: 30 * day };
  const now = new Date(start.getTime() + 200 * day);
  await useDaily(db, 200);
  const { learnings } = await pruneMemory({ db: busy, runId: null, now, prune, difficultyOf }, {});
  expect(learnings.map(({ id }) => id)).toEqual([old]);
  expect(await actionsOn(db).get(`${changed}`)).toMatchObject({
    status: "active",
    lesson: "New words of a person.",
  });
});

test("TRUST-4: a purge takes along what was merged from it after it was planned, and brings back what stands then", async () => {
  await fill(
    db,
    Array.from({ length: 3 }, (_, n) => ({
      lesson: `Lesson ${n} tells of part ${n} of the parser.`,
      category: "pitfall",
      tags: ["parser", "dates"],
    })),
  );
  const [, second, first] = (await listLearnings(db)).map(({ id }) => id);
  const plan = await memoryOf(db).planPurge({ ids: [`${first}`], runId: null });
  const [merge] = await summarizeLearnings({ db, runId: null, now: start }, {});
  expect(merge?.from.toSorted()).toEqual([`${first}`, `${second}`].toSorted());
  await memoryOf(db).purge(plan);
  expect((await listLearnings(db, { status: ["active"] })).map(({ id }) => id)).toContain(second);
  expect(await getLearnings(db, [`${first}`, `${merge?.id}`])).toEqual([]);
});
