import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { TableWrite } from "../../events/event.ts";
import type { Db, Tx } from "../../store/db.ts";
import { readRowsForRebuild } from "./rows-at-work.ts";

const named = (rows: readonly TableWrite[], table: string, key: string): readonly unknown[] =>
  rows.flatMap((one) => (one.table === table ? [one.row[key]] : [])).sort();

/** A run of 50 iterations, `i-100` to `i-149`, and an earlier one with a commit that waits. */
async function longRun(): Promise<Db> {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    await addRun(tx, "run-0", "2026-01-01T00:00:00.000Z");
    await addIteration(tx, { id: "i-0", run: "run-0", number: 1, finished: null });
    await addRun(tx, "run-1", "2026-01-02T00:00:00.000Z");
    for (let n = 100; n < 150; n++)
      await addIteration(tx, { id: `i-${n}`, run: "run-1", number: n, finished: "2026-01-02T03:04:05.000Z" });
  });
  return db;
}

async function addRun(tx: Tx, id: string, startedAt: string): Promise<void> {
  await tx.run("INSERT INTO runs (id, started_at) VALUES (?, ?)", [id, startedAt]);
}

interface Added {
  readonly id: string;
  readonly run: string;
  readonly number: number;
  readonly finished: string | null;
}

async function addIteration(tx: Tx, { id, run, number, finished }: Added): Promise<void> {
  await tx.run(
    `INSERT INTO iterations (id, run_id, task_id, number, attempt_number, token, marker, started_at)
     VALUES (?, ?, 't-1', ?, 1, 1, 'm', '2026-01-02T03:04:05.000Z')`,
    [id, run, number],
  );
  await tx.run(
    `INSERT INTO pending_commits (iteration_id, task_id, base, paths, message, created_at, finished_at)
     VALUES (?, 't-1', '', '[]', 'work', '2026-01-02T03:04:05.000Z', ?)`,
    [id, finished],
  );
}

test("LOOP-22: of a long run, only the newest iterations and their commits are kept for a rebuild, and all that wait", async () => {
  const rows = await readRowsForRebuild(await longRun(), "run-1");
  const newest = Array.from({ length: 20 }, (_, at) => `i-${130 + at}`);
  expect(named(rows, "runs", "id")).toEqual(["run-0", "run-1"]);
  expect(named(rows, "iterations", "id")).toEqual(newest);
  expect(named(rows, "pending_commits", "iteration_id")).toEqual(["i-0", ...newest]);
});

test("LOOP-22: a run keeps its own row and iterations for a rebuild, whatever the times of other runs, and those before it", async () => {
  const db = await longRun();
  await db.transaction(async (tx) => {
    await addRun(tx, "run-2", "2026-01-01T12:00:00.000Z");
    for (const number of [1, 2])
      await addIteration(tx, { id: `i-2${number}`, run: "run-2", number, finished: "2026-01-02" });
    for (let n = 10; n < 40; n++) await addRun(tx, `refused-${n}`, `2026-01-01T13:00:00.0${n}Z`);
  });
  const rows = await readRowsForRebuild(db, "run-2");
  const before = Array.from({ length: 18 }, (_, at) => `i-${132 + at}`);
  expect(named(rows, "runs", "id")).toContain("run-2");
  expect(named(rows, "iterations", "id")).toEqual([...before, "i-21", "i-22"]);
  expect(named(rows, "pending_commits", "iteration_id")).toEqual(["i-0", ...before, "i-21", "i-22"]);
});

test.each(["run-1", "run-2"])(
  "LOOP-22: what is kept for a rebuild in %s is found without a look at all iterations and commits",
  async (runId) => {
    const db = await longRun();
    const asked: (readonly [string, Parameters<Db["all"]>[1]])[] = [];
    const all: Db["all"] = async (sql, params) => {
      asked.push([sql, params]);
      return db.all(sql, params);
    };
    await readRowsForRebuild({ ...db, all }, runId);
    const plans = await Promise.all(
      asked.map(([sql, params]) => db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)),
    );
    const steps = plans.flat().map(({ detail }) => detail);
    expect(steps.filter((step) => /^SCAN (?:i|iterations|pending_commits)$/.test(step))).toEqual([]);
    expect(
      steps.filter((step) => /^SEARCH (?:i|iterations|pending_commits) /.test(step)).length,
    ).toBeGreaterThan(1);
  },
);
