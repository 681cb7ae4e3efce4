import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { flushTo, type RebuildStores, rebuildStores, writeRow } from "../../test/rebuild-stores.ts";
import { cleanText } from "../base/text.ts";
import type { Reader, Row, SqlValue, Tx } from "../store/db.ts";
import { record } from "./outbox-store.ts";
import { rebuildFromLog } from "./rebuild.ts";

const now = new Date("2026-01-02T03:04:05.678Z");
let folder: string;
let stores: RebuildStores;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ralph-rebuild-"));
  stores = rebuildStores(folder);
});

afterEach(() => rm(folder, { recursive: true }));

const tables = [
  "tasks",
  "dependencies",
  "task_logs",
  "iteration_outcomes",
  "failure_reports",
  "strategy_metrics",
  "interruptions",
];

async function content(q: Reader): Promise<Record<string, readonly Row[]>> {
  const all: Record<string, readonly Row[]> = {};
  for (const table of tables) all[table] = await q.all(`SELECT * FROM ${table} ORDER BY 1, 2`);
  return all;
}

interface Step {
  readonly kind:
    | "task"
    | "edit"
    | "remove"
    | "depend"
    | "undepend"
    | "log"
    | "outcome"
    | "report"
    | "metrics"
    | "stop";
  readonly a: number;
  readonly b: number;
  readonly text: string;
}

async function remove(tx: Tx, table: string, key: Record<string, SqlValue>): Promise<void> {
  const names = Object.keys(key);
  await tx.run(
    `DELETE FROM ${table} WHERE ${names.map((name) => `${name} = ?`).join(" AND ")}`,
    Object.values(key),
  );
  await record(tx, { type: "note.purged", rows: [{ table, op: "delete", row: key }] }, now);
}

async function has(tx: Tx, task: string): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM tasks WHERE id = ?", [task])) !== undefined;
}

async function step(tx: Tx, one: Step): Promise<void> {
  const { kind, a, b, text } = one;
  const id = `t-${a}`;
  const other = `t-${b}`;
  if (kind === "task" || kind === "edit") {
    const parent_id = kind === "task" && a !== b && (await has(tx, other)) ? other : null;
    const tags = JSON.stringify([text]);
    await writeRow(tx, "tasks", ["id"], {
      id,
      parent_id,
      title: text,
      tags,
      created_at: "c",
      updated_at: "u",
    });
  }
  if (!(await has(tx, id))) return;
  if (kind === "remove") await remove(tx, "tasks", { id });
  if (kind === "undepend") await remove(tx, "dependencies", { blocker_id: id, blocked_id: other });
  if (kind === "depend" && a !== b && (await has(tx, other))) {
    await writeRow(tx, "dependencies", ["blocker_id", "blocked_id"], { blocker_id: id, blocked_id: other });
  }
  await stepOfMemory(tx, one, id);
}

async function stepOfMemory(tx: Tx, { kind, b, text }: Step, task_id: string): Promise<void> {
  if (kind === "log")
    await writeRow(tx, "task_logs", ["id"], { id: b + 1, task_id, message: text, timestamp: text });
  if (kind === "metrics") await writeRow(tx, "strategy_metrics", ["task_id"], { task_id, total_attempts: b });
  if (kind === "stop") {
    await writeRow(tx, "interruptions", ["id"], {
      id: text,
      task_id,
      kind: text,
      started_at: "",
      cost_usd: b / 7,
    });
  }
  if (kind !== "outcome" && kind !== "report") return;
  const attempt = { task_id, attempt_number: b };
  const key = ["task_id", "attempt_number"];
  const outcome = { model: text, started_at: text, duration_ms: b, outcome: "failed" };
  await writeRow(tx, "iteration_outcomes", key, { ...attempt, ...outcome });
  if (kind === "outcome") return;
  await writeRow(tx, "failure_reports", key, {
    ...attempt,
    what_was_tried: text,
    why_it_failed: text,
    created_at: text,
  });
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      "task",
      "task",
      "edit",
      "remove",
      "depend",
      "undepend",
      "log",
      "outcome",
      "report",
      "metrics",
      "stop",
    ),
    a: fc.nat(5),
    b: fc.nat(5),
    text: fc.string({ unit: "grapheme", maxLength: 12 }).map(cleanText),
  }),
  { maxLength: 40 },
);

test("CTX-3 TASK-1 FAIL-1 STRAT-1: for any sequence of writes the log alone rebuilds the same rows", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(40), async (all, cut) => {
      const file = stores.newLog();
      const expected = await stores.withStore(async (db) => {
        for (const [index, one] of all.entries()) {
          await db.transaction((tx) => step(tx, one));
          if (index === cut) await flushTo(db, file);
        }
        await db.transaction((tx) => record(tx, { type: "run.asked" }, now));
        await flushTo(db, file);
        return content(db);
      });
      const rebuilt = await stores.withStore(async (db) => {
        const { rows, skippedLines } = await rebuildFromLog(db, file);
        const found = await content(db);
        expect(skippedLines).toBe(0);
        expect(rows).toBe(Object.values(found).flat().length);
        return found;
      });
      expect(rebuilt).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});
