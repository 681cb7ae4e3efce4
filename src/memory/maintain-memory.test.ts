import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { sampleOutcome } from "../../test/sample-outcome.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { lastAttempt, recordOutcome } from "../outcome/outcome-store.ts";
import type { Db } from "../store/db.ts";
import { createTask } from "../tasks/task-store.ts";
import { buildReport } from "./failures/build-report.ts";
import { insertReport } from "./failures/failure-store.ts";
import { byCommand, type LearningActions, openLearningActions } from "./learning-actions.ts";
import type { Learning, NewLearning } from "./learnings/learning.ts";
import { applyMerge, planMerges } from "./learnings/manage/summarize-learnings.ts";
import { findLearnings } from "./learnings/recall/find-learnings.ts";
import { newLearning, putLearnings } from "./learnings/store/learning-store.ts";
import { getLearning, historyOf, listLearnings } from "./learnings/store/read-learnings.ts";
import { maintainMemory, pruneMemory, summarizeMemory } from "./maintain-memory.ts";
import { openMemoryActions } from "./memory-actions.ts";
import { ensureIndex } from "./repair-index.ts";
import { archiveTask, restoreTask } from "./task-memory.ts";

const day = 86_400_000;
const start = new Date("2026-01-01T00:00:00.000Z");
const after = (days: number): Date => new Date(start.getTime() + days * day);
const prune = { reportsMs: 7 * day, learningsMs: 90 * day, unusedMs: 30 * day };
const difficultyOf = async (): Promise<string> => "hard";
let db: Db;
let actions: LearningActions;

beforeEach(async () => {
  db = await openTempStore();
  actions = openLearningActions({ db, root: "/nonexistent", now: () => start });
});

async function add(lesson: string, more: Partial<NewLearning> = {}, now = start): Promise<Learning> {
  const provenance = { ...byCommand({ taskId: "t-1", runId: "run-1" }), ...more.provenance };
  const made = { category: "pitfall", lesson, tags: ["parser", "dates"], ...more, provenance };
  return db.transaction(async (tx) => {
    const learning = await newLearning(tx, made, now);
    await putLearnings(tx, [{ learning, change: "captured", by: "agent" }], { runId: "run-1", now });
    return learning;
  });
}

const life = async (id: string): Promise<readonly string[]> =>
  (await historyOf(db, id)).map(({ change, by }) => `${change} by ${by}`);

test("LEARN-8: a cluster becomes one learning; its newest stays, its members can come back", async () => {
  const a = await add("Leap days need UTC in the parser.", { tags: ["parser", "dates", "utc"] }, after(0));
  const b = await add("The parser must not use local time.", { tags: ["parser", "dates"] }, after(1));
  const c = await add("Zones are parsed before days.", { tags: ["parser", "dates"] }, after(2));
  const other = await add("The parser and dates of another category.", { category: "tool_usage" }, after(1));
  const apart = await add("Widgets redraw on focus events.", { tags: ["ui", "focus"] }, after(1));
  const request = { db, runId: "run-9", now: after(3) };
  expect((await summarizeMemory(request, { dryRun: true })).map(({ from }) => from)).toEqual([[b.id, a.id]]);
  const [merge, ...more] = await summarizeMemory(request, {});
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
  expect(await summarizeMemory(request, {})).toEqual([]);
  await actions.restore(a.id);
  expect(await getLearning(db, a.id)).toMatchObject({ status: "active", supersededBy: null, pinned: true });
  expect(await summarizeMemory(request, {})).toEqual([]);
});

test("LEARN-8: only above the threshold, and at most once in ten iterations", async () => {
  await db.transaction((tx) => createTask(tx, { id: "t-1", title: "one" }, start));
  const fill = async (from: number): Promise<void> => {
    for (let n = from; n < from + 4; n += 1)
      await add(`Lesson ${n} tells of part ${n} of the parser.`, {}, after(n));
  };
  await fill(0);
  const request = { db, root: "/nonexistent", runId: "run-1", prune, difficultyOf };
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
    await db.transaction((tx) => recordOutcome(tx, outcome, after(26)));
  }
  await maintainMemory({ ...request, now: after(27), summarizeAbove: 3 });
  expect(await merged()).toBe(2);
});

test("LEARN-9: old and unused learnings are put away; a dry run tells which and changes nothing", async () => {
  const old = await add("An old lesson that nobody used since.");
  const used = await add("An old lesson that was used lately, often.");
  const young = await add("A young lesson, not used by anyone yet.", {}, after(50));
  await db.transaction((tx) =>
    putLearnings(
      tx,
      [{ learning: { ...used, lastUsedAt: after(90).toISOString() }, change: "edited", by: "person" }],
      {
        runId: null,
        now: start,
      },
    ),
  );
  const request = { db, runId: "run-2", now: after(100), prune, difficultyOf };
  expect((await pruneMemory(request, { dryRun: true })).kinds).toEqual([
    { label: "learning", field: "learnings", memories: [{ id: old.id, lesson: old.lesson }] },
  ]);
  expect((await getLearning(db, old.id))?.status).toBe("active");
  await pruneMemory(request, {});
  const statuses = (await listLearnings(db)).map(({ id, status }) => [id, status]);
  expect(new Map(statuses as [string, string][])).toEqual(
    new Map([
      [young.id, "active"],
      [used.id, "active"],
      [old.id, "pruned"],
    ]),
  );
  expect((await getLearning(db, old.id))?.prunedAt).toBe(after(100).toISOString());
  await actions.restore(old.id);
  await pruneMemory(request, {});
  expect((await getLearning(db, old.id))?.status).toBe("active");
  expect(await life(old.id)).toEqual(["captured by agent", "pruned by ralph", "restored by person"]);
});

test("LEARN-9: attempts of tasks done long ago go to the archive, are rolled up, and come back whole", async () => {
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-1", title: "one", status: "done" }, start);
    await createTask(tx, { id: "t-2", title: "two" }, start);
    for (const taskId of ["t-1", "t-2"]) {
      for (const attempt of [1, 2]) {
        const outcome = sampleOutcome({ taskId, attempt, costUsd: 0.5, startedAt: after(0).toISOString() });
        await recordOutcome(tx, outcome, start);
        await insertReport(tx, buildReport(outcome), "run-1", start);
      }
    }
  });
  const tables = ["iteration_outcomes", "failure_reports"];
  const content = async (): Promise<unknown> =>
    Promise.all(tables.map((table) => db.all(`SELECT * FROM ${table} ORDER BY 1, 2`)));
  const before = await content();
  const request = { db, runId: null, now: after(6), prune, difficultyOf };
  expect((await pruneMemory(request, {})).reports).toEqual([]);
  expect(await pruneMemory({ ...request, now: after(40) }, {})).toMatchObject({
    reports: ["t-1"],
  });
  const left = await db.all<{ task_id: string }>(
    "SELECT task_id FROM iteration_outcomes UNION ALL SELECT task_id FROM failure_reports",
  );
  expect(new Set(left.map(({ task_id }) => task_id))).toEqual(new Set(["t-2"]));
  expect(await db.all("SELECT * FROM memory_rollups")).toEqual([
    {
      day: "2026-01-01",
      model: "sonnet",
      difficulty: "hard",
      memory: "none",
      attempts: 2,
      done: 0,
      cost_usd: 1,
      duration_ms: 2000,
    },
  ]);
  expect(await lastAttempt(db, "t-1")).toBe(2);
  expect(await db.transaction((tx) => restoreTask(tx, "t-1", "hard", after(41)))).toBe(4);
  expect(await content()).toEqual(before);
  expect(await db.get("SELECT SUM(attempts) AS n FROM memory_rollups")).toEqual({ n: 0 });
  await db.transaction((tx) => archiveTask(tx, "t-1", "hard", after(42)));
  // Archived on day 42: pruning deletes it after a year, and its totals stay.
  const archived = async (): Promise<number> => (await db.all("SELECT * FROM memory_archive")).length;
  expect((await pruneMemory({ ...request, now: after(42 + 364) }, {})).cleared).toBe(0);
  expect(await archived()).toBe(4);
  expect((await pruneMemory({ ...request, now: after(42 + 366) }, { dryRun: true })).cleared).toBe(0);
  expect(await archived()).toBe(4);
  await maintainMemory({ ...request, root: "/nonexistent", now: after(42 + 366), summarizeAbove: 0 });
  expect(await archived()).toBe(0);
  expect(await db.get("SELECT SUM(attempts) AS n FROM memory_rollups")).toEqual({ n: 2 });
});

test("TRUST-4: purging a run takes out what it brought in and what was merged from it, and brings the rest back", async () => {
  const mine = byCommand({ taskId: "t-2", runId: "run-2" });
  const a = await add("Leap days need UTC in the parser.");
  const b = await add("Bad advice that run two brought in.", { provenance: mine }, after(1));
  const c = await add("Zones are parsed before days here.", {}, after(2));
  const [merge] = await summarizeMemory({ db, runId: "run-3", now: after(3) }, {});
  expect(merge?.from.toSorted()).toEqual([a.id, b.id].toSorted());
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-2", title: "two" }, start);
    const outcome = sampleOutcome({ taskId: "t-2", runId: "run-2" });
    await recordOutcome(tx, outcome, start);
    await insertReport(tx, buildReport(outcome), "run-2", start);
  });
  const memory = openMemoryActions({ db, now: () => start });
  const { parts } = await memory.purge(await memory.planPurge({ runId: "run-2" }));
  expect(parts.map(({ label, count, json }) => [label, count, json])).toEqual([
    ["learning", 2, { purged: expect.arrayContaining([b.id, merge?.id]), restored: [a.id] }],
    ["failure report", 1, { failureReports: 1 }],
    ["note", 0, { notes: 0 }],
  ]);
  expect((await listLearnings(db)).map(({ id, status }) => [id, status])).toEqual([
    [c.id, "active"],
    [a.id, "active"],
  ]);
  const everything = JSON.stringify(
    await Promise.all(
      ["learnings", "learning_history", "failure_reports"].map((table) => db.all(`SELECT * FROM ${table}`)),
    ),
  );
  expect(everything).not.toContain("Bad advice");
  expect(await db.all("SELECT * FROM failure_reports")).toEqual([]);
  expect(await db.get("SELECT COUNT(*) AS n FROM retrieval_documents")).toEqual({ n: 2 });
});

test("tending breaks nothing: a step that fails is told, the others are done", async () => {
  const old = await add("An old lesson that nobody used since.");
  const broken: Db = Object.assign(Object.create(db) as Db, {
    all: (sql: string, params: readonly string[]) => {
      if (sql.includes("citations <> '[]'")) throw new Error("cannot read");
      return db.all(sql, params);
    },
  });
  const request = {
    root: "/nonexistent",
    runId: "run-1",
    now: after(200),
    summarizeAbove: 0,
    prune,
    difficultyOf,
  };
  await maintainMemory({ ...request, db: broken });
  expect((await getLearning(db, old.id))?.status).toBe("pruned");
  const failed = await db.get<{ data: string }>("SELECT data FROM outbox WHERE type = 'memory.failed'");
  expect(JSON.parse(`${failed?.data}`)).toMatchObject({ step: "citations", error: "cannot read" });
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

test("LEARN-7: what cites a changed file is marked between iterations, and no more once the file is as it was", async () => {
  const root = mkdtempSync(join(tmpdir(), "ralph-maintain-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (text: string): void => writeFileSync(join(root, "dates.ts"), text);
  write("a\n");
  const { id } = await openLearningActions({ db, root, now: () => start })
    .store({
      ...{ text: "Parse ISO dates in dates.ts with UTC only.", category: "pitfall", tags: [], files: [] },
      ...{ scope: "project", topic: null, provenance: byCommand(null) },
    })
    .then(({ learning }) => learning);
  const request = { db, root, runId: "run-1", now: after(1), summarizeAbove: 0, prune, difficultyOf };
  for (const text of ["b\n", "a\n"]) {
    write(text);
    await maintainMemory(request);
  }
  rmSync(join(root, "dates.ts"));
  await maintainMemory(request);
  expect(await life(id)).toEqual(["stored by person", "stale by ralph", "fresh by ralph", "stale by ralph"]);
});

test("LEARN-4: a store whose index is gone is made findable again when it is opened", async () => {
  const { id } = await add("Zones are parsed before days here.");
  const find = async (): Promise<readonly string[]> =>
    (await findLearnings(db, { text: "zones", limit: 5, now: start, scope: null, tags: [] })).found.map(
      ({ id: found }) => found,
    );
  await db.transaction(async (tx) => {
    for (const table of ["shelves", "documents", "lists", "blocks"])
      await tx.run(`DELETE FROM retrieval_${table}`);
  });
  expect(await find()).toEqual([]);
  await ensureIndex(db);
  expect(await find()).toEqual([id]);
});

test("LEARN-2: a learning that comes when the index has just lost a table is kept, and all can be found", async () => {
  const { id } = await add("Zones are parsed before days here.");
  await db.transaction((tx) => tx.run("DROP TABLE retrieval_words"));
  const later = await add("Zones of other planets are never parsed.");
  const { found } = await findLearnings(db, { text: "zones", limit: 5, now: start, scope: null, tags: [] });
  expect(found.map((one) => one.id).toSorted()).toEqual([id, later.id].toSorted());
});

test("LEARN-8: a merged learning is as old as the newest that it was merged from", async () => {
  await add("Leap days need UTC in the parser.", {}, after(0));
  await add("The parser must not use local time.", {}, after(5));
  await add("Zones are parsed before days.", {}, after(6));
  const [merge] = await summarizeMemory({ db, runId: null, now: after(50) }, {});
  expect(await getLearning(db, `${merge?.id}`)).toMatchObject({ createdAt: after(5).toISOString() });
});
