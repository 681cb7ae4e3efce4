import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { rejectLater } from "../../test/reject-later.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { systemClock } from "../base/clock.ts";
import type { Db } from "../store/port/db.ts";
import { registerSecrets } from "../trust/registered-secrets.ts";
import type { EventInput, RalphEvent } from "./event.ts";
import { type EventLog, openEventLog } from "./event-log.ts";
import { record } from "./event-store.ts";
import { openEventReader } from "./read-events.ts";

const secret = "correct-horse-battery-staple-0451";
const now = new Date("2026-01-02T03:04:05.678Z");

let db: Db;
let file: string;
let log: EventLog;
beforeEach(async () => {
  registerSecrets([secret]);
  db = await openTempStore();
  file = join(dirname(db.location), "events.jsonl");
  log = openLog();
});

const openLog = (): EventLog => openEventLog({ db, file, clock: systemClock, onFailure: rejectLater });
const note = (n: number): EventInput => ({ type: "note.added", data: { n } });
const emit = (event: EventInput): Promise<void> => db.transaction((tx) => record(tx, event, now));
const numbers = (): unknown[] =>
  openEventReader(file, [])
    .next()
    .map((event) => event["n"]);
const lines = (): string[] => readFileSync(file, "utf8").trimEnd().split("\n");

function listen(to: EventLog): RalphEvent[] {
  const received: RalphEvent[] = [];
  to.subscribe((event) => received.push(event));
  return received;
}

test("CTX-2: a line is one JSON object with seq, timestamp, type, jobId and the event's fields, without secrets", async () => {
  const data = { taskId: "t-1", seq: 99, type: "no", text: `it is ${secret}` };
  await emit({ type: "task.created", runId: "r-1", data });
  await emit({ type: "run.asked" });
  await log.flush();
  const timestamp = now.toISOString();
  expect(lines().map((line) => JSON.parse(line))).toEqual([
    { seq: 1, timestamp, type: "task.created", jobId: "r-1", taskId: "t-1", text: "it is [redacted:env]" },
    { seq: 2, timestamp, type: "run.asked", jobId: null },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("CTX-3: an event of a failed transaction is never published, and no file is made without events", async () => {
  const failing = db.transaction(async (tx) => {
    await record(tx, note(1), now);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await log.flush();
  expect(existsSync(file)).toBe(false);
  await emit(note(2));
  await log.flush();
  expect(numbers()).toEqual([2]);
});

test("CTX-2: listeners hear events in order, those of other processes and of a killed one too, and transient ones at once", async () => {
  await emit(note(1));
  await log.flush();
  // Recorded by a process that was killed before it published it.
  await emit(note(2));
  const own = openLog();
  own.subscribe(() => {
    throw new Error("broken listener");
  });
  const received = listen(own);
  own.publish({ type: "agent.activity", runId: "r", data: { text: "hi", jobId: "no" } });
  expect(received).toEqual([
    { type: "agent.activity", timestamp: expect.any(String), jobId: "r", text: "hi" },
  ]);
  await emit(note(3));
  // Another process publishes it first.
  await log.flush();
  await emit(note(4));
  await own.flush();
  expect(received.slice(1).map((event) => event["n"])).toEqual([3, 4]);
  expect(numbers()).toEqual([1, 2, 3, 4]);
  const next = openLog();
  const rest = listen(next);
  await next.flush();
  expect(rest).toEqual([]);
});

test("CTX-2: what a killed process recorded last reaches the next one", async () => {
  await emit(note(1));
  await log.flush();
  await emit(note(2));
  const next = openLog();
  const received = listen(next);
  await next.flush();
  expect(received.map((event) => event["n"])).toEqual([2]);
});

test("CTX-3: a torn last line is completed, and its event written again", async () => {
  await emit(note(1));
  await emit(note(2));
  await log.flush();
  truncateSync(file, statSync(file).size - 5);
  await emit(note(3));
  await openLog().flush();
  expect(numbers()).toEqual([1, 2, 3]);
  expect(lines()).toHaveLength(4);
});

test("CTX-3: a removed file is written again from the table, also with its folder", async () => {
  await emit(note(1));
  await log.flush();
  rmSync(file);
  await emit(note(2));
  await log.flush();
  expect(numbers()).toEqual([1, 2]);
  const elsewhere = join(dirname(file), "gone", "events.jsonl");
  await openEventLog({ db, file: elsewhere, clock: systemClock, onFailure: rejectLater }).flush();
  expect(readFileSync(elsewhere, "utf8")).toBe(readFileSync(file, "utf8"));
});

test("CTX-3: a file of another store, as after a restored backup, gets all that this one has", async () => {
  const other = { seq: 7, timestamp: "2025-01-01T00:00:00.000Z", type: "note.added", jobId: null, n: "old" };
  appendFileSync(file, `${JSON.stringify(other)}\n`);
  await emit(note(1));
  await log.flush();
  expect(numbers()).toEqual(["old", 1]);
});

test("TRUST-8: a file that cannot be written is named once, listeners hear on, and it is written later", async () => {
  mkdirSync(file);
  const errors: unknown[] = [];
  const own = openEventLog({ db, file, clock: systemClock, onFailure: (error) => errors.push(error) });
  const received = listen(own);
  await emit(note(1));
  await own.flush();
  await emit(note(2));
  await own.flush();
  expect(errors).toEqual([expect.objectContaining({ code: "RALPH_STORE_PATH" })]);
  expect(received.map((event) => event["n"])).toEqual([1, 2]);
  rmSync(file, { recursive: true });
  await own.flush();
  expect(numbers()).toEqual([1, 2]);
});

test("TRUST-8: an error of the store is named once, and the events come when it is gone", async () => {
  const errors: unknown[] = [];
  const own = openEventLog({ db, file, clock: systemClock, onFailure: (error) => errors.push(error) });
  await emit(note(1));
  await db.transaction((tx) => tx.run("ALTER TABLE events RENAME COLUMN data TO lost"));
  await own.flush();
  await own.flush();
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining("data") })]);
  await db.transaction((tx) => tx.run("ALTER TABLE events RENAME COLUMN lost TO data"));
  await own.flush();
  expect(numbers()).toEqual([1]);
});

test("CTX-3: old rows go, once they are in the file; very many and very long ones are written in parts", async () => {
  const long = "x".repeat(17_000_000);
  const add = `INSERT INTO events (timestamp, type, data) SELECT '2026', 'note.added', json_object('n', i, 'text', CASE WHEN i < 3 THEN ? ELSE '' END)
    FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) SELECT i FROM n)`;
  await db.transaction((tx) => tx.run(add, [long]));
  await log.flush();
  expect(numbers()).toEqual(Array.from({ length: 6000 }, (_, at) => at + 1));
  expect(await db.get("SELECT count(*) AS n FROM events")).toEqual({ n: 5000 });
});

test("CTX-2: a whole last line that lacks its line end gets one before the next event", async () => {
  await emit(note(1));
  await log.flush();
  truncateSync(file, statSync(file).size - 1);
  const own = openLog();
  const received = listen(own);
  await own.flush();
  await emit(note(2));
  await own.flush();
  expect(numbers()).toEqual([1, 2]);
  expect(received.map((event) => event["n"])).toEqual([2]);
});
