import { beforeEach, expect, test } from "vitest";
import { sampleOutcome } from "../../test/sample-outcome.ts";
import { after, openTempMemory, periods, start } from "../../test/temp-memory.ts";
import { recordOutcome } from "../outcome/outcome-store.ts";
import { createTask } from "../tasks/graph/task-store.ts";
import { summarizeLearnings } from "./learnings/maintain-learnings.ts";
import { applyMerge, planMerges } from "./learnings/manage/summarize-learnings.ts";
import { getLearning, listLearnings } from "./learnings/store/read-learnings.ts";
import { maintainMemory } from "./maintain-memory.ts";

let { db, actions, add, life } = {} as Awaited<ReturnType<typeof openTempMemory>>;
beforeEach(async () => {
  ({ db, actions, add, life } = await openTempMemory());
});

test("LEARN-8: a cluster becomes one learning; its newest stays, its members can come back", async () => {
  const a = await add("Leap days need UTC in the parser.", { tags: ["parser", "dates", "utc"] }, after(0));
  const b = await add("The parser must not use local time.", { tags: ["parser", "dates"] }, after(1));
  const c = await add("Zones are parsed before days.", { tags: ["parser", "dates"] }, after(2));
  const other = await add("The parser and dates of another category.", { category: "tool_usage" }, after(1));
  const apart = await add("Widgets redraw on focus events.", { tags: ["ui", "focus"] }, after(1));
  const request = { db, runId: "run-9", now: after(3) };
  expect((await summarizeLearnings(request, { dryRun: true })).map(({ from }) => from)).toEqual([
    [b.id, a.id],
  ]);
  const [merge, ...more] = await summarizeLearnings(request, {});
  expect(more).toEqual([]);
  const merged = await getLearning(db, `${merge?.id}`);
  expect(merged).toMatchObject({
    lesson: b.lesson,
    detail: a.lesson,
    tags: ["parser", "dates", "utc"],
    derivedFrom: [b.id, a.id],
    provenance: { task: "t-1", runId: "run-1", source: "agent" },
  });
  for (const { id } of [a, b]) {
    expect(await getLearning(db, id)).toMatchObject({
      status: "superseded",
      supersededBy: merged?.id,
      prunedAt: after(3).toISOString(),
    });
    expect(await life(id)).toEqual(["captured by agent", "superseded by ralph"]);
  }
  for (const one of [c, other, apart]) expect(await getLearning(db, one.id)).toEqual(one);
  expect(await summarizeLearnings(request, {})).toEqual([]);
  await actions.restore(a.id);
  expect(await getLearning(db, a.id)).toMatchObject({ status: "active", supersededBy: null, pinned: true });
  expect(await summarizeLearnings(request, {})).toEqual([]);
});

test("LEARN-8: only above the threshold, and at most once in ten iterations", async () => {
  await db.transaction((tx) => createTask(tx, { id: "t-1", title: "one" }, start));
  const fill = async (from: number): Promise<void> => {
    for (let n = from; n < from + 4; n += 1)
      await add(`Lesson ${n} tells of part ${n} of the parser.`, {}, after(n));
  };
  await fill(0);
  const request = { db, root: "/nonexistent", runId: "run-1", ...periods };
  const merged = async (): Promise<number> =>
    (await listLearnings(db)).filter((one) => one.derivedFrom.length > 0).length;
  await maintainMemory({ ...request, now: after(10), summarizeAbove: 4 });
  expect(await merged()).toBe(0);
  await maintainMemory({ ...request, now: after(10), summarizeAbove: 3 });
  expect(await merged()).toBe(1);
  await fill(20);
  await maintainMemory({ ...request, now: after(25), summarizeAbove: 3 });
  expect(await merged()).toBe(1);
  for (let n = 1; n <= 10; n += 1) {
    const outcome = sampleOutcome({ attempt: n, startedAt: after(26).toISOString() });
    await db.transaction((tx) => recordOutcome(tx, outcome));
  }
  await maintainMemory({ ...request, now: after(27), summarizeAbove: 3 });
  expect(await merged()).toBe(2);
});

test("LEARN-8: a merge whose member was changed since it was planned is left out, whole", async () => {
  const a = await add("Leap days need UTC in the parser.", {}, after(0));
  await add("The parser must not use local time.", {}, after(1));
  await add("Zones are parsed before days.", {}, after(2));
  const [plan] = await planMerges(db, 1);
  if (!plan) throw new Error("nothing was planned");
  await actions.edit(a.id, { text: "Leap days need UTC, in the lexer too." });
  const before = await listLearnings(db);
  expect(await db.transaction((tx) => applyMerge(tx, plan, { runId: null, now: after(3) }))).toBeUndefined();
  expect(await listLearnings(db)).toEqual(before);
});

test("LEARN-8: a merged learning is as old as the newest that it was merged from", async () => {
  await add("Leap days need UTC in the parser.", {}, after(0));
  await add("The parser must not use local time.", {}, after(5));
  await add("Zones are parsed before days.", {}, after(6));
  const [merge] = await summarizeLearnings({ db, runId: null, now: after(50) }, {});
  expect(await getLearning(db, `${merge?.id}`)).toMatchObject({ createdAt: after(5).toISOString() });
});
