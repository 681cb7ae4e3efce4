import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { sampleOutcome } from "../../test/sample-outcome.ts";
import { useDaily } from "../../test/stored-learnings.ts";
import { openTempStore } from "../../test/temp-store.ts";
import type { Pacer } from "../base/clock.ts";
import { safe } from "../base/safe-text.ts";
import { recordOutcome } from "../outcome/outcome-store.ts";
import { isIndexComplete } from "../search/check-index.ts";
import type { Db, Row } from "../store/port/db.ts";
import { createTask } from "../tasks/graph/task-store.ts";
import { documentSources } from "./kinds.ts";
import { byCommand } from "./learning-actions.ts";
import { newLearning, putLearnings } from "./learnings/store/learning-store.ts";
import { maintainMemory } from "./maintain-memory.ts";

const day = 86_400_000;
const now = new Date("2026-06-01T00:00:00.000Z");
const ago = (days: number): Date => new Date(now.getTime() - days * day);
const prune = { reportsMs: 7 * day, learningsMs: 90 * day, unusedMs: 30 * day };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ralph-slices-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "changed.ts"), "two\n");
});

const maintain = (db: Db, pacer?: Pacer): Promise<void> =>
  maintainMemory({
    ...{ db, root, now, runId: "run-1", summarizeAbove: 20, prune, pacer },
    difficultyOf: async () => "hard",
  });

/** A store in which every step of maintenance has something to do, always the same for the same number. */
async function storeWith(learnings: number): Promise<Db> {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (let n = 0; n < learnings; n += 1) {
      const made = {
        category: safe`pitfall`,
        lesson: `Lesson ${n} of part ${n % 7} says what number ${n * 31} means.`,
        tags: [safe`topic ${n % 12}`, safe`part ${n % 7}`],
        citations: n % 9 === 0 ? [{ path: "changed.ts", lines: null, hash: `${n}` }] : [],
        provenance: byCommand({ taskId: "t-1", runId: "run-1" }),
      };
      const at = ago(n % 5 === 0 ? 120 : n % 40);
      const learning = { ...(await newLearning(tx, made, at)), id: `l-${String(n).padStart(6, "0")}` };
      await putLearnings(tx, [{ learning, change: "captured", by: "agent" }], { runId: "run-1", now: at });
    }
    for (const id of ["t-1", "t-2", "t-3"]) {
      await createTask(tx, { id, title: id }, ago(50));
      await recordOutcome(tx, sampleOutcome({ taskId: id, startedAt: ago(49).toISOString() }));
      await tx.run("UPDATE tasks SET status = 'done', updated_at = ? WHERE id = ?", [
        ago(48).toISOString(),
        id,
      ]);
    }
  });
  await useDaily(db, 100, ago(100));
  return db;
}

/** Rows of memory, with the random ids of merged learnings replaced by their members. */
async function content(db: Db): Promise<readonly string[]> {
  const merged = await db.all<{ id: string; derived_from: string }>(
    "SELECT id, derived_from FROM learnings WHERE derived_from <> '[]'",
  );
  const tables = ["learnings", "learning_history", "memory_rollups", "iteration_outcomes"];
  const rows = await Promise.all(tables.map((table) => db.all<Row>(`SELECT * FROM ${table}`)));
  const texts = rows.flat().map((row) => {
    let text = JSON.stringify(row);
    for (const { id, derived_from } of merged) text = text.replaceAll(id, `merged from ${derived_from}`);
    return text;
  });
  return texts.sort();
}

/** Counts the slices, and runs `between` after each. */
function counting(between: (slice: number) => Promise<void> = async () => undefined) {
  const ended = new AbortController();
  const pacer: Pacer & { slices: number } = {
    slices: 0,
    signal: ended.signal,
    pause: async () => {
      pacer.slices += 1;
      await between(pacer.slices);
      ended.signal.throwIfAborted();
    },
  };
  return { pacer, end: () => ended.abort() };
}

test("LEARN-8: maintenance in slices stores the same rows as maintenance in one piece", async () => {
  const [whole, sliced] = [await storeWith(150), await storeWith(150)];
  const before = await content(whole);
  expect(await content(sliced)).toEqual(before);
  await maintain(whole);
  await maintain(sliced, counting(() => setImmediate()).pacer);
  const after = await content(whole);
  expect(await content(sliced)).toEqual(after);
  const statuses = await whole.all(
    "SELECT status, COUNT(*) AS n FROM learnings GROUP BY status ORDER BY status",
  );
  expect(statuses.map((row) => row["status"])).toEqual(["active", "pruned", "stale", "superseded"]);
  expect(await whole.get("SELECT COUNT(*) AS n FROM iteration_outcomes")).toEqual({ n: 0 });
  expect(await isIndexComplete(sliced, await documentSources())).toBe(true);
  expect(await sliced.all("SELECT data FROM events WHERE type = 'memory.failed'")).toEqual([]);
});

test("LEARN-8: between two slices the store is whole, and maintenance that ended there is completed by the next", async () => {
  const complete = await storeWith(120);
  expect(await unmaintained(complete)).not.toMatchObject({ old: 0 });
  const { pacer } = counting();
  await maintain(complete, pacer);
  const interesting = [1, Math.floor(pacer.slices / 2), pacer.slices - 1];
  for (const last of interesting) {
    const db = await storeWith(120);
    const { pacer: ending, end } = counting(async (slice) => {
      if (slice === last) end();
      // The loop writes between two slices, so none of them holds a transaction.
      await db.transaction((tx) => tx.run("UPDATE tasks SET priority = ?", [slice]));
    });
    await maintain(db, ending);
    expect(ending.slices).toBe(last);
    expect(await isIndexComplete(db, await documentSources())).toBe(true);
    expect(
      await db.all(
        `SELECT id FROM learnings WHERE status = 'superseded'
           AND COALESCE(superseded_by, '') NOT IN (SELECT id FROM learnings WHERE status <> 'superseded')`,
      ),
    ).toEqual([]);
    expect(await db.all("SELECT data FROM events WHERE type = 'memory.failed'")).toEqual([]);
    await maintain(db);
    // Merging that has begun is due again only after ten iterations.
    expect(await unmaintained(db)).toEqual({ old: 0, cited: 0, attempts: 0 });
  }
});

/** The work of a maintenance: old learnings, learnings that cite a changed file, attempts of finished tasks. */
async function unmaintained(db: Db): Promise<unknown> {
  return db.get(
    `SELECT SUM(CASE WHEN status IN ('active','stale') AND created_at < ? THEN 1 ELSE 0 END) AS old,
       SUM(CASE WHEN status = 'active' AND citations <> '[]' THEN 1 ELSE 0 END) AS cited,
       (SELECT COUNT(*) FROM iteration_outcomes) AS attempts FROM learnings`,
    [ago(90).toISOString()],
  );
}

test("LEARN-8: no slice grows with the number of learnings, only their number does", async () => {
  const measured: { readonly slices: number; readonly longest: number; readonly sum: number }[] = [];
  for (const learnings of [150, 600]) {
    const db = await storeWith(learnings);
    let used = process.cpuUsage();
    let [longest, sum] = [0, 0];
    const { pacer } = counting(async () => {
      const { user, system } = process.cpuUsage(used);
      longest = Math.max(longest, user + system);
      sum += user + system;
      await setImmediate();
      used = process.cpuUsage();
    });
    await maintain(db, pacer);
    measured.push({ slices: pacer.slices, longest, sum });
  }
  const [few, many] = measured;
  expect(many?.slices).toBeGreaterThan(1.5 * (few?.slices ?? 0));
  expect(many?.longest).toBeLessThan((many?.sum ?? 0) / 5);
});
