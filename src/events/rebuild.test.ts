import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { cleanText } from "../base/text.ts";
import type { Db, Reader, Row, SqlValue, Tx } from "../store/db.ts";
import { openStore } from "../store/open-store.ts";
import type { TableWrite } from "./event.ts";
import { openEventLog } from "./event-log.ts";
import { record } from "./outbox-store.ts";
import { readLog } from "./read-log.ts";
import { rebuildFromLog } from "./rebuild.ts";

const now = new Date("2026-01-02T03:04:05.678Z");
let folder: string;
let stores = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ralph-rebuild-"));
});

afterEach(() => rm(folder, { recursive: true }));

const open = (): Promise<Db> => openStore({ path: join(folder, `${++stores}.db`), history: null });

async function withStore<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = await open();
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

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

const flush = (db: Db, file: string): Promise<void> => openEventLog({ db, file, clock: systemClock }).flush();

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

/** Writes a row as the stores do: an upsert, then the row as the table has it. */
async function write(
  tx: Tx,
  table: string,
  key: readonly string[],
  row: Record<string, SqlValue>,
): Promise<void> {
  const names = Object.keys(row);
  const changes = names.map((name) => `${name} = excluded.${name}`).join(", ");
  await tx.run(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
     ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${changes}`,
    Object.values(row),
  );
  const full = await tx.get(
    `SELECT * FROM ${table} WHERE ${key.map((name) => `${name} = ?`).join(" AND ")}`,
    key.map((name) => row[name] ?? null),
  );
  const rows: readonly TableWrite[] = [{ table, op: "put", row: full ?? {} }];
  await record(tx, { type: "test.written", rows }, now);
}

async function remove(tx: Tx, table: string, key: Record<string, SqlValue>): Promise<void> {
  const names = Object.keys(key);
  await tx.run(
    `DELETE FROM ${table} WHERE ${names.map((name) => `${name} = ?`).join(" AND ")}`,
    Object.values(key),
  );
  await record(tx, { type: "test.removed", rows: [{ table, op: "delete", row: key }] }, now);
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
    await write(tx, "tasks", ["id"], { id, parent_id, title: text, tags, created_at: "c", updated_at: "u" });
  }
  if (!(await has(tx, id))) return;
  if (kind === "remove") await remove(tx, "tasks", { id });
  if (kind === "undepend") await remove(tx, "dependencies", { blocker_id: id, blocked_id: other });
  if (kind === "depend" && a !== b && (await has(tx, other))) {
    await write(tx, "dependencies", ["blocker_id", "blocked_id"], { blocker_id: id, blocked_id: other });
  }
  await stepOfMemory(tx, one, id);
}

async function stepOfMemory(tx: Tx, { kind, b, text }: Step, task_id: string): Promise<void> {
  if (kind === "log")
    await write(tx, "task_logs", ["id"], { id: b + 1, task_id, message: text, timestamp: text });
  if (kind === "metrics") await write(tx, "strategy_metrics", ["task_id"], { task_id, total_attempts: b });
  if (kind === "stop") {
    await write(tx, "interruptions", ["id"], {
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
  await write(tx, "iteration_outcomes", key, { ...attempt, ...outcome });
  if (kind === "outcome") return;
  await write(tx, "failure_reports", key, {
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

test("CTX-3 TASK-1 FAIL-1 STRAT-1: whatever is written, the log alone gives the same rows", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(40), async (all, cut) => {
      const file = join(folder, `${stores}.jsonl`);
      await rm(file, { force: true });
      const expected = await withStore(async (db) => {
        for (const [index, one] of all.entries()) {
          await db.transaction((tx) => step(tx, one));
          if (index === cut) await flush(db, file);
        }
        await db.transaction((tx) => record(tx, { type: "test.ended" }, now));
        await flush(db, file);
        return content(db);
      });
      const rebuilt = await withStore(async (db) => {
        const { rows, skippedLines } = await rebuildFromLog(db, file);
        const found = await content(db);
        expect(skippedLines).toBe(0);
        expect(rows).toBe(Object.values(found).flat().length);
        return found;
      });
      expect(rebuilt).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

async function logOf(work: (db: Db) => Promise<void>): Promise<string> {
  const file = join(folder, `${++stores}.jsonl`);
  await withStore(async (db) => {
    await work(db);
    await flush(db, file);
  });
  return file;
}

const task = (tx: Tx, id: string, more: Record<string, SqlValue> = {}): Promise<void> =>
  write(tx, "tasks", ["id"], { id, title: `Task ${id}`, created_at: "", updated_at: "", ...more });

const ids = async (db: Reader): Promise<unknown[]> =>
  (await db.all("SELECT id FROM tasks ORDER BY id")).map(({ id }) => id);

test("CTX-3: a rebuilt store goes on with the same log", async () => {
  const file = await logOf((db) => db.transaction((tx) => task(tx, "a")));
  await withStore(async (db) => {
    await rebuildFromLog(db, file);
    await db.transaction((tx) => task(tx, "b"));
    await flush(db, file);
  });
  expect((await readLog(file)).map(({ seq }) => seq)).toEqual([1, 2]);
  await withStore(async (db) => {
    expect((await rebuildFromLog(db, file)).rows).toBe(2);
    expect(await ids(db)).toEqual(["a", "b"]);
  });
});

test("CTX-3 TASK-6: rows from before the log, as a migration leaves them, are in it", async () => {
  const file = await logOf(async (db) => {
    await db.transaction(async (tx) => {
      for (let n = 0; n < 450; n += 1) {
        await tx.run("INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, '', '', '')", [
          `t-${n}`,
        ]);
      }
      await tx.run(
        `INSERT INTO outbox (seq, timestamp, type, data, rows) VALUES (2, '', 'store.migrated', '{}', '[]')`,
      );
    });
  });
  expect((await readLog(file)).map(({ type }) => type)).toEqual([
    "store.snapshot",
    "store.snapshot",
    "store.snapshot",
    "store.migrated",
  ]);
  await withStore(async (db) =>
    expect(await rebuildFromLog(db, file)).toEqual({ rows: 450, skippedLines: 0 }),
  );
});

test("CTX-3: a snapshot replaces what came before it, half of one replaces nothing", async () => {
  const file = await logOf((db) => db.transaction((tx) => task(tx, "old")));
  const line = (part: number, id: string): string => {
    const rows = [{ table: "tasks", op: "put", row: { id, title: "", created_at: "", updated_at: "" } }];
    return `${JSON.stringify({ timestamp: "", type: "store.snapshot", jobId: null, part, parts: 2, rows })}\n`;
  };
  await appendFile(file, line(1, "half"));
  await withStore(async (db) => {
    await rebuildFromLog(db, file);
    expect(await ids(db)).toEqual(["half", "old"]);
  });
  await appendFile(file, line(1, "new1") + line(2, "new2"));
  await withStore(async (db) => {
    await rebuildFromLog(db, file);
    expect(await ids(db)).toEqual(["new1", "new2"]);
  });
});

test("torn lines, odd rows and lost parents cost only themselves", async () => {
  const file = await logOf((db) =>
    db.transaction(async (tx) => {
      await task(tx, "parent");
      await task(tx, "child", { parent_id: "parent" });
      await write(tx, "strategy_metrics", ["task_id"], { task_id: "parent", total_attempts: 3 });
      await task(tx, "last");
    }),
  );
  const [first = "", ...others] = (await readFile(file, "utf8")).split("\n");
  const put = (table: string, row: unknown): string =>
    JSON.stringify({ type: "a.b", timestamp: "", rows: [{ table, op: "put", row }] });
  const odd = [
    first.slice(0, 40),
    put("tasks", { id: "no-title" }),
    put("tasks", { id: { x: 1 } }),
    put("tasks", { id: "later", title: "", created_at: "", updated_at: "", column_of_the_future: 1 }),
    put("table_of_the_future", { id: 1 }),
    put("sqlite_schema", { name: "x" }),
    put("outbox", { seq: 99 }),
    put("claims", { task_id: "last" }),
    '{"type":"a.b","timestamp":"","rows":7}',
  ];
  await writeFile(file, [...odd, ...others].join("\n"));
  await withStore(async (db) => {
    expect(await rebuildFromLog(db, file)).toEqual({ rows: 3, skippedLines: 3 });
    expect(await db.all("SELECT id, parent_id FROM tasks ORDER BY id")).toEqual([
      { id: "child", parent_id: null },
      { id: "last", parent_id: null },
      { id: "later", parent_id: null },
    ]);
    expect(await db.all("SELECT * FROM claims UNION ALL SELECT * FROM claims")).toEqual([]);
    expect(await db.all("PRAGMA foreign_key_check")).toEqual([]);
  });
});

test("a store that has rows is not rebuilt over, and a log that is not there is named", async () => {
  const file = await logOf((db) => db.transaction((tx) => task(tx, "a")));
  await withStore(async (db) => {
    await expect(rebuildFromLog(db, join(folder, "none"))).rejects.toMatchObject({
      code: "RALPH_STORE_MISSING",
    });
    await db.transaction((tx) => task(tx, "mine"));
    await expect(rebuildFromLog(db, file)).rejects.toThrow(/empty store/);
    expect(await ids(db)).toEqual(["mine"]);
  });
});
