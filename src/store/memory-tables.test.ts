import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { firstMemoryTables } from "../../test/first-memory-tables.ts";
import { openStore } from "./open-store.ts";
import type { Reader, Row } from "./port/db.ts";
import { openConnection } from "./sqlite/connection.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ralph-tables-"));
  path = join(folder, "progress.db");
});

afterEach(() => rm(folder, { recursive: true }));

test.each([
  ["SELECT MAX(at) FROM learning_history WHERE change = 'merged'", "idx_learning_history_change"],
  ["SELECT 1 FROM learnings WHERE superseded_by = ?", "idx_learnings_superseded_by"],
  ["SELECT 1 FROM learnings WHERE pruned_at < ?", "idx_learnings_pruned_at"],
])("LEARN-8 LEARN-9: %s is answered by the index of the few rows that it is about", async (query, index) => {
  const db = await openStore({ path });
  const plan = await db.all(`EXPLAIN QUERY PLAN ${query}`, query.includes("?") ? ["x"] : []);
  expect(JSON.stringify(plan)).toContain(index);
  await db.close();
});

interface Indexed {
  readonly name: string;
  readonly columns: readonly Row[];
}

async function indexesOf(db: Reader, table: string): Promise<readonly Indexed[]> {
  const found: Indexed[] = [];
  for (const { name } of await db.all<{ name: string }>("SELECT name FROM pragma_index_list(?)", [table])) {
    found.push({ name, columns: await db.all("SELECT * FROM pragma_index_info(?)", [name]) });
  }
  return found;
}

test.each([
  ["FAIL-1", "iteration_outcomes"],
  ["FAIL-1", "failure_reports"],
  ["STRAT-1", "strategy_metrics"],
])(
  "%s: %s has the first design's columns, keys, defaults, checks, delete rules and indexes",
  async (_id, table) => {
    const file = join(folder, "first.db");
    await writeFile(file, "");
    const seed = await openConnection(file, { readOnly: false });
    seed.exec(`CREATE TABLE tasks (id TEXT PRIMARY KEY);${firstMemoryTables}`);
    const ours = await openStore({ path: join(folder, "ours.db") });
    const seedReader = {
      all: async <T>(sql: string, params?: string[]) => seed.all<T>(sql, params),
    } as Reader;

    const info = "SELECT * FROM pragma_table_info(?)";
    const columns = seed.all(info, [table]);
    expect((await ours.all(info, [table])).slice(0, columns.length)).toEqual(columns);
    const keys = "SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq";
    expect(await ours.all(keys, [table])).toEqual(seed.all(keys, [table]));
    expect(await indexesOf(ours, table)).toEqual(
      expect.arrayContaining([...(await indexesOf(seedReader, table))]),
    );
    seed.close();
    await ours.close();
  },
);

test("FAIL-1 STRAT-1: the added columns are there", async () => {
  const db = await openStore({ path });
  await db.all(`SELECT cost_usd, run_id, agent, verification, error_signature, verification_output, iteration_id, reason
    FROM iteration_outcomes`);
  await db.all("SELECT retry_suggestion, error_signature, last_message FROM failure_reports");
  await db.all("SELECT next_model FROM strategy_metrics");
  await db.all("SELECT cost_usd, kind, reset_at FROM interruptions");
  await db.close();
});

test("FAIL-1: an unknown outcome is refused, and deleting a task deletes its memory", async () => {
  const db = await openStore({ path });
  const outcome = (name: string): string =>
    `INSERT INTO iteration_outcomes (task_id, attempt_number, model, started_at, duration_ms, outcome)
     VALUES ('t', 1, 'sonnet', 'now', 1, '${name}')`;
  await db.transaction(async (tx) => {
    await tx.run("INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 'T', 'now', 'now')");
    await expect(tx.run(outcome("maybe"))).rejects.toThrow(/CHECK/);
    await tx.run(outcome("failed"));
    await tx.run(`INSERT INTO failure_reports (task_id, attempt_number, what_was_tried, why_it_failed, created_at)
      VALUES ('t', 1, 'x', 'y', 'now')`);
    await tx.run("INSERT INTO strategy_metrics (task_id) VALUES ('t')");
    await tx.run("DELETE FROM tasks");
  });
  for (const table of ["iteration_outcomes", "failure_reports", "strategy_metrics"]) {
    expect(await db.all(`SELECT * FROM ${table}`)).toEqual([]);
  }
  await db.close();
});
