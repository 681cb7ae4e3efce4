import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { putNewStore } from "../../test/temp-store.ts";
import { systemClock } from "../base/clock.ts";
import type { Db, Row } from "../store/db.ts";
import { openStore } from "../store/open-store.ts";
import { registerSecrets } from "../trust/registered-secrets.ts";
import type { EventInput, RalphEvent, TableWrite } from "./event.ts";
import { type EventLog, openEventLog } from "./event-log.ts";
import { readLog } from "./log/read-log.ts";
import { record } from "./outbox-store.ts";

const secret = "correct-horse-battery-staple-0451";
const now = new Date("2026-01-02T03:04:05.678Z");

let folder: string;
let path: string;
let file: string;
let db: Db;
let log: EventLog;

async function reopen(): Promise<void> {
  await putNewStore(path);
  db = await openStore({ path, history: null });
  log = openEventLog({ db, file, clock: systemClock });
}

beforeEach(async () => {
  registerSecrets([secret]);
  folder = await mkdtemp(join(tmpdir(), "ralph-events-"));
  path = join(folder, "progress.db");
  file = join(folder, "events.jsonl");
  await reopen();
});

afterEach(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const note = (n: number): EventInput => ({ type: "note.added", data: { n } });
const emit = (event: EventInput): Promise<void> => db.transaction((tx) => record(tx, event, now));
const lines = async (): Promise<string[]> => (await readFile(file, "utf8")).split("\n").slice(0, -1);
const numbers = async (): Promise<unknown[]> => (await readLog(file)).map((event) => event["n"]);
const waiting = async (): Promise<number | undefined> =>
  (await db.get<{ n: number }>("SELECT count(*) AS n FROM outbox"))?.n;

const taskRow = (id: string): Row => ({ id, title: `Task ${id}`, created_at: "c", updated_at: "u" });

async function putTask(id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run("INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, ?, 'c', 'u')", [
      id,
      `Task ${id}`,
    ]);
    const rows = [{ table: "tasks", op: "put", row: taskRow(id) }] as const;
    await record(tx, { type: "task.created", data: { taskId: id }, rows }, now);
  });
}

test("CTX-2: a line is one JSON object with seq, timestamp, type, jobId, the event's fields and rows", async () => {
  const rows = [{ table: "tasks", op: "put", row: taskRow("t-1") }] as const;
  await emit({ type: "task.created", runId: "r-1", data: { taskId: "t-1", seq: 99, type: "no" }, rows });
  await emit({ type: "run.asked" });
  await log.flush();
  expect((await lines()).map((line) => JSON.parse(line))).toEqual([
    { seq: 1, timestamp: now.toISOString(), type: "task.created", jobId: "r-1", taskId: "t-1", rows },
    { seq: 2, timestamp: now.toISOString(), type: "run.asked", jobId: null },
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await waiting()).toBe(0);
});

test("CTX-3: an event of a failed transaction is never published", async () => {
  const failing = db.transaction(async (tx) => {
    await record(tx, note(1), now);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await emit(note(2));
  await log.flush();
  expect(await numbers()).toEqual([2]);
});

test("no file is created without events", async () => {
  await log.flush();
  await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
  expect(await readLog(file)).toEqual([]);
});

test("listeners receive events after they are logged and transient ones at once; a listener that throws stops nothing", async () => {
  const heard: RalphEvent[] = [];
  log.subscribe(() => {
    throw new Error("broken listener");
  });
  const stop = log.subscribe((event) => heard.push(event));
  log.publish({ type: "agent.activity", runId: "r", data: { text: "hi", jobId: "no" } });
  expect(heard).toEqual([{ type: "agent.activity", timestamp: expect.any(String), jobId: "r", text: "hi" }]);
  await emit(note(1));
  expect(heard).toHaveLength(1);
  await log.flush();
  expect(heard[1]).toMatchObject({ seq: 1, n: 1 });
  stop();
  log.publish({ type: "agent.activity" });
  expect(heard).toHaveLength(2);
  expect(await numbers()).toEqual([1]);
});

test("TRUST-1: secrets are redacted in the outbox, the log and for listeners; JSON in rows stays JSON", async () => {
  const heard: RalphEvent[] = [];
  log.subscribe((event) => heard.push(event));
  const row = { id: "t", title: `use ${secret}`, tags: JSON.stringify(["a", { deep: secret }]), priority: 1 };
  const rows = [{ table: "tasks", op: "put", row }] as const;
  await emit({ type: "task.created", data: { list: [{ text: `${secret}!` }], plain: "kept" }, rows });
  expect(JSON.stringify(await db.all("SELECT * FROM outbox"))).not.toContain(secret);
  await log.flush();
  log.publish({ type: "agent.activity", data: { text: secret } });
  expect(await readFile(file, "utf8")).not.toContain(secret);
  expect(JSON.stringify(heard)).not.toContain(secret);
  const [event] = await readLog(file);
  expect(event?.["plain"]).toBe("kept");
  expect(event?.rows).toMatchObject([{ row: { id: "t" } }]);
  const [{ row: stored } = { row }] = (event?.rows ?? []) as readonly TableWrite[];
  const tags = stored["tags"];
  expect(JSON.parse(String(tags))).toEqual(["a", { deep: expect.stringContaining("redacted") }]);
});

test("a line torn by a crash is completed and skipped", async () => {
  await emit(note(1));
  await log.flush();
  await appendFile(file, '{"seq":2,"timestamp":"2026');
  await emit(note(2));
  await log.flush();
  await emit(note(3));
  await log.flush();
  expect(await lines()).toHaveLength(4);
  expect(await numbers()).toEqual([1, 2, 3]);
});

test("a last line without its newline is read", async () => {
  await emit(note(1));
  await log.flush();
  await truncate(file, (await stat(file)).size - 1);
  await emit(note(2));
  await log.flush();
  expect(await numbers()).toEqual([1, 2]);
  expect(await lines()).toHaveLength(2);
});

test("CTX-3: a crash between append and commit leaves no duplicate line", async () => {
  await emit(note(1));
  await log.flush();
  await emit(note(2));
  await emit(note(3));
  const rows = await db.all<Row>("SELECT * FROM outbox");
  await log.flush();
  await db.transaction(async (tx) => {
    for (const row of rows) {
      await tx.run("INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?)", Object.values(row));
    }
  });
  await emit(note(4));
  await log.flush();
  expect(await lines()).toHaveLength(4);
  expect(await numbers()).toEqual([1, 2, 3, 4]);
});

test("CTX-3: a lost log starts again with a snapshot of all rows", async () => {
  await putTask("a");
  await log.flush();
  await rm(file);
  await putTask("b");
  await log.flush();
  const [snapshot, created] = await readLog(file);
  expect(snapshot).toMatchObject({ type: "store.snapshot", part: 1, parts: 1 });
  expect(snapshot?.rows).toMatchObject([{ row: { id: "a" } }, { row: { id: "b" } }]);
  expect(created).toMatchObject({ seq: 2, type: "task.created" });
  await putTask("c");
  await log.flush();
  expect(await lines()).toHaveLength(3);
});

test("a new store continues the log of an old one", async () => {
  await putTask("a");
  await putTask("b");
  await log.flush();
  await db.close();
  for (const side of ["", "-wal", "-shm"]) await rm(`${path}${side}`, { force: true });
  await reopen();
  await emit(note(1));
  await log.flush();
  expect((await readLog(file)).map(({ type }) => type)).toEqual([
    "task.created",
    "task.created",
    "note.added",
  ]);
});

test("two logs of one store share the file without losing or repeating events", async () => {
  const other = await openStore({ path });
  const otherLog = openEventLog({ db: other, file, clock: systemClock });
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const [store, its] = n % 2 === 0 ? [db, log] : [other, otherLog];
      await store.transaction((tx) => record(tx, note(n), now));
      await its.flush();
    }),
  );
  await other.close();
  const seqs = (await lines()).map((line) => JSON.parse(line).seq);
  expect(seqs).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  expect(new Set(await numbers()).size).toBe(40);
});

test("TRUST-6: a link is not followed; the events wait until it is removed", async () => {
  const victim = join(folder, "victim");
  await writeFile(victim, "mine\n");
  await symlink(victim, file);
  await emit(note(1));
  await expect(log.flush()).rejects.toMatchObject({
    code: "RALPH_STORE_PATH",
    message: expect.stringContaining(file),
  });
  expect(await readFile(victim, "utf8")).toBe("mine\n");
  expect(await waiting()).toBe(1);
  await rm(file);
  await log.flush();
  expect(await numbers()).toEqual([1]);
});

test("TRUST-8: a log that cannot be opened is an error that names it, and no event is lost", async () => {
  await emit(note(1));
  const nowhere = openEventLog({ db, file: join(folder, "gone", "events.jsonl"), clock: systemClock });
  await expect(nowhere.flush()).rejects.toMatchObject({ code: "RALPH_STORE_IO", hint: expect.any(String) });
  await log.flush();
  expect(await numbers()).toEqual([1]);
});

test("the last events are read from the end, even with long lines", async () => {
  for (let n = 0; n < 30; n += 1)
    await emit({ type: "note.added", data: { n, text: "é".repeat(n % 7 === 0 ? 90_000 : 10) } });
  await log.flush();
  for (const last of [1, 2, 5, 29, 30, 100]) {
    const events = await readLog(file, { last });
    expect(events.map((event) => event["n"])).toEqual(Array.from({ length: 30 }, (_, n) => n).slice(-last));
  }
});

test("lines that are not events are skipped", async () => {
  await writeFile(
    file,
    'null\n[]\n{"type":1}\n\u0000\n{"seq":"1","type":"a.b","timestamp":""}\n\n{"type":"a.b","timestamp":"t"}\n',
  );
  expect(await readLog(file)).toEqual([{ type: "a.b", timestamp: "t" }]);
});

test("LOOP-11: events flushed later keep their order with events published in the meantime", async () => {
  const told: unknown[] = [];
  log.subscribe((event) => told.push(event["n"]));
  await emit(note(1));
  log.flushLater();
  log.publish(note(11));
  expect(told).toEqual([]);
  await vi.waitFor(() => expect(told).toEqual([1, 11]));
  await emit(note(2));
  log.flushLater();
  log.publish(note(12));
  await log.flush();
  log.publish(note(13));
  await vi.waitFor(() => expect(told).toEqual([1, 11, 2, 12, 13]));
  expect(await numbers()).toEqual([1, 2]);
  expect(await waiting()).toBe(0);
});

test("TRUST-8 LOOP-18: while a folder is in the log's place, events wait; a flush throws and no event is lost", async () => {
  await mkdir(file);
  await emit(note(1));
  log.flushLater();
  await emit(note(2));
  log.flushLater();
  await expect(log.flush()).rejects.toMatchObject({ code: "RALPH_STORE_PATH" });
  await rm(file, { recursive: true });
  await log.flush();
  expect(await numbers()).toEqual([1, 2]);
});
