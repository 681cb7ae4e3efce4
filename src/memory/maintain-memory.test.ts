import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { sampleOutcome } from "../../test/sample-outcome.ts";
import { exported, useDaily } from "../../test/stored-learnings.ts";
import { after, openTempMemory, periods, start } from "../../test/temp-memory.ts";
import { lastAttempt, recordOutcome } from "../outcome/outcome-store.ts";
import type { Db } from "../store/port/db.ts";
import { createTask } from "../tasks/graph/task-store.ts";
import { buildReport } from "./failures/build-report.ts";
import { insertReport } from "./failures/failure-store.ts";
import { byCommand, openLearningActions } from "./learning-actions.ts";
import { summarizeLearnings } from "./learnings/maintain-learnings.ts";
import { putLearnings } from "./learnings/store/learning-store.ts";
import { getLearning, listLearnings } from "./learnings/store/read-learnings.ts";
import { maintainMemory, pruneMemory } from "./maintain-memory.ts";
import { openMemoryActions } from "./memory-actions.ts";

let { db, actions, add, life } = {} as Awaited<ReturnType<typeof openTempMemory>>;
beforeEach(async () => {
  ({ db, actions, add, life } = await openTempMemory());
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
  const request = { db, runId: "run-2", now: after(100), ...periods };
  await useDaily(db, 100);
  expect((await pruneMemory(request, { dryRun: true })).learnings).toEqual([
    { id: old.id, lesson: old.lesson },
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

test("LEARN-9: learnings age with the days on which the project is used, imported ones from their import", async () => {
  const own = await add("A lesson that was never shown to any task.");
  const from = await openTempMemory();
  const brought = await from.add("A lesson of another project, two years old.", {}, after(-700));
  const waiting = await from.add("A lesson that waited for approval a while.", {}, after(-700));
  const file = (await exported(from.db)).join("\n");
  const lines = (id: string) =>
    file
      .split("\n")
      .filter((line) => !line.includes(id))
      .join("\n");
  const at = (days: number) => openLearningActions({ db, root: "/nonexistent", now: () => after(days) });
  const active = async (days: number) => {
    await maintainMemory({
      db,
      root: "/nonexistent",
      runId: "run-1",
      now: after(days),
      summarizeAbove: 0,
      ...periods,
    });
    return (await listLearnings(db, { status: ["active"] })).map(({ id }) => id).toSorted();
  };
  await useDaily(db, 80);
  await at(80).import(lines(waiting.id), { approved: true, origin: "theirs" });
  await at(80).import(lines(brought.id), { approved: false, origin: "theirs" });
  // A rest of more than a year, and a few days of use after it.
  await useDaily(db, 5, after(480));
  expect(await active(485)).toEqual([own.id, brought.id].toSorted());
  await at(485).approve([waiting.id]);
  await useDaily(db, 10, after(485));
  expect(await active(495)).toEqual([brought.id, waiting.id].toSorted());
  await useDaily(db, 80, after(495));
  expect(await active(575)).toEqual([waiting.id]);
  await useDaily(db, 20, after(575));
  expect(await active(595)).toEqual([]);
});

test("LEARN-9: attempts of tasks done long ago are deleted by age, and their sums stay", async () => {
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-1", title: "one", status: "done" }, start);
    await createTask(tx, { id: "t-2", title: "two" }, start);
    for (const taskId of ["t-1", "t-2"]) {
      for (const attempt of [1, 2]) {
        const outcome = sampleOutcome({ taskId, attempt, costUsd: 0.5, startedAt: after(0).toISOString() });
        await recordOutcome(tx, outcome);
        await insertReport(tx, buildReport(outcome), start);
      }
    }
  });
  const request = { db, runId: null, now: after(6), ...periods };
  expect((await pruneMemory(request, {})).reports).toEqual([]);
  expect((await pruneMemory({ ...request, now: after(40) }, { dryRun: true })).reports).toEqual(["t-1"]);
  expect(await lastAttempt(db, "t-1")).toBe(2);
  await maintainMemory({ ...request, root: "/nonexistent", now: after(40), summarizeAbove: 0 });
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
  expect((await pruneMemory({ ...request, now: after(400) }, {})).reports).toEqual([]);
});

test("TRUST-4: purging a run takes out what it brought in and what was merged from it, and brings the rest back", async () => {
  const mine = byCommand({ taskId: "t-2", runId: "run-2" });
  const a = await add("Leap days need UTC in the parser.");
  const b = await add("Bad advice that run two brought in.", { provenance: mine }, after(1));
  const c = await add("Zones are parsed before days here.", {}, after(2));
  const [merge] = await summarizeLearnings({ db, runId: "run-3", now: after(3) }, {});
  expect(merge?.from.toSorted()).toEqual([a.id, b.id].toSorted());
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-2", title: "two" }, start);
    const outcome = sampleOutcome({ taskId: "t-2", runId: "run-2" });
    await recordOutcome(tx, outcome);
    await insertReport(tx, buildReport(outcome), start);
  });
  const memory = openMemoryActions({ db, now: () => start });
  const { parts } = await memory.purge(await memory.planPurge({ ids: [], runId: "run-2" }));
  expect(parts.map(({ label, count, json }) => [label, count, json])).toEqual([
    ["learning", 2, { purged: expect.arrayContaining([b.id, merge?.id]), restored: [a.id] }],
    ["failure report", 1, { failureReports: 1 }],
    ["note", 0, { notes: 0 }],
    ["hivemind record", 0, { hivemind: 0 }],
    ["skill use", 0, { skillUses: 0 }],
    ["record", 0, { records: 0 }],
    ["skill proposal", 0, { skillProposals: 0 }],
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
  await useDaily(db, 200);
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
    ...periods,
  };
  await maintainMemory({ ...request, db: broken });
  expect((await getLearning(db, old.id))?.status).toBe("pruned");
  const failed = await db.get<{ data: string }>("SELECT data FROM events WHERE type = 'memory.failed'");
  expect(JSON.parse(`${failed?.data}`)).toMatchObject({ step: "citations", error: "cannot read" });
});

test("LEARN-7: a learning that cites a changed file is marked between iterations, until the file has its old content", async () => {
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
  const request = { db, root, runId: "run-1", now: after(1), summarizeAbove: 0, ...periods };
  for (const text of ["b\n", "a\n"]) {
    write(text);
    await maintainMemory(request);
  }
  rmSync(join(root, "dates.ts"));
  await maintainMemory(request);
  expect(await life(id)).toEqual(["stored by person", "stale by ralph", "fresh by ralph", "stale by ralph"]);
});
