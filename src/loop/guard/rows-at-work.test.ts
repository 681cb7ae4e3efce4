import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Db, Tx } from "../../store/db.ts";
import { readRowsForRebuild } from "./rows-at-work.ts";

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
  const rows = await readRowsForRebuild(await longRun());
  const newest = Array.from({ length: 20 }, (_, at) => `i-${130 + at}`);
  const named = (table: string, key: string): readonly unknown[] =>
    rows.flatMap((one) => (one.table === table ? [one.row[key]] : [])).sort();
  expect(named("runs", "id")).toEqual(["run-0", "run-1"]);
  expect(named("iterations", "id")).toEqual(newest);
  expect(named("pending_commits", "iteration_id")).toEqual(["i-0", ...newest]);
});

test("LOOP-22: what is kept for a rebuild is found without a look at all iterations and commits", async () => {
  const db = await longRun();
  const asked: string[] = [];
  const all: Db["all"] = async (sql, params) => {
    asked.push(sql);
    return db.all(sql, params);
  };
  await readRowsForRebuild({ ...db, all });
  const plans = await Promise.all(
    asked.map((sql) => db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)),
  );
  const steps = plans.flat().map(({ detail }) => detail);
  expect(steps.filter((step) => /^SCAN (?:iterations|pending_commits)$/.test(step))).toEqual([]);
  expect(steps.filter((step) => /^SEARCH (?:iterations|pending_commits)/.test(step)).length).toBeGreaterThan(
    2,
  );
});
