import { appendFile, chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { Db } from "../../store/db.ts";
import { openStore } from "../../store/open-store.ts";
import { openProjectKey, type ProjectKey } from "../../trust/project-key.ts";
import { openEventLog } from "../event-log.ts";
import { record } from "../outbox-store.ts";
import { eventsAfter } from "./sealed-events.ts";

const now = new Date("2026-01-02T03:04:05.678Z");
let folder: string;
let file: string;
let key: ProjectKey;
let open: Db[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ralph-sealed-"));
  file = join(folder, "events.jsonl");
  key = openProjectKey(join(folder, "state"), folder);
  open = [];
});

afterEach(async () => {
  for (const db of open) await db.close();
  await rm(folder, { recursive: true });
});

async function store(seal?: ProjectKey): Promise<Db> {
  const db = await openStore({ path: join(folder, "progress.db"), history: null, ...(seal && { seal }) });
  open.push(db);
  return db;
}

const emit = (db: Db, n: number): Promise<void> =>
  db.transaction((tx) => record(tx, { type: "note.added", data: { n } }, now));
const flush = (db: Db): Promise<void> => openEventLog({ db, file, clock: systemClock }).flush();
const numbers = (events: readonly { readonly [name: string]: unknown }[]): unknown[] =>
  events.map(({ n }) => n);
async function trusted(db: Db, after: number): Promise<unknown[]> {
  const found = await eventsAfter(db, { seal: key, file, after });
  return [numbers(found.trusted), numbers(found.doubted)];
}

test("TRUST-6: a project's key is one private file in the user's state folder, the same for every process", async () => {
  expect(key.seal("text")).toBe(openProjectKey(join(folder, "state"), folder).seal("text"));
  expect(openProjectKey(join(folder, "other"), folder).seal("text")).not.toBe(key.seal("text"));
  const projects = join(folder, "state/projects");
  const [name = ""] = await readdir(projects);
  const path = join(projects, name, "key");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(key.restoreFile()).toBe(false);
  const text = await readFile(path, "utf8");
  await writeFile(path, `${"0".repeat(64)}\n`);
  await chmod(path, 0o600);
  expect(key.restoreFile()).toBe(true);
  expect(await readFile(path, "utf8")).toBe(text);
});

test("LOOP-18: an event that was not recorded with the key is doubted, in the outbox and in the log", async () => {
  const db = await store(key);
  await emit(db, 1);
  await flush(db);
  await emit(db, 2);
  await emit(await store(), 3);
  expect(await trusted(db, 0)).toEqual([[1, 2], [3]]);
  await flush(db);
  expect(await trusted(db, 0)).toEqual([[1, 2], [3]]);
  expect(await trusted(db, 1)).toEqual([[2], [3]]);
  await emit(db, 4);
  await flush(db);
  expect(await trusted(db, 2)).toEqual([[4], [3]]);
});

test("LOOP-18: an event cannot be recorded again under another number, or after its text was changed", async () => {
  const db = await store(key);
  await emit(db, 1);
  const other = await store();
  await other.transaction(async (tx) => {
    const columns = "timestamp, type, run_id, data, rows, seal";
    await tx.run(`INSERT INTO outbox (${columns}) SELECT ${columns} FROM outbox`);
  });
  expect(await trusted(db, 0)).toEqual([[1], [1]]);
  await other.transaction((tx) => tx.run("UPDATE outbox SET type = 'test.forged'"));
  expect(await trusted(db, 0)).toEqual([[], [1, 1]]);
});

test("LOOP-18: a line that was appended to the log is doubted, also when events follow it", async () => {
  const db = await store(key);
  await emit(db, 1);
  await flush(db);
  const line = { seq: 2, timestamp: "", type: "note.added", jobId: null, n: 2 };
  await appendFile(file, `${JSON.stringify(line)}\n`);
  expect(await trusted(db, 1)).toEqual([[], [2]]);
  await emit(db, 3);
  expect(await trusted(db, 1)).toEqual([[3], [2]]);
});

test("CTX-3: a log and pending events of an earlier version stay as they are, and the chain begins after them", async () => {
  const older = await store();
  await emit(older, 1);
  await flush(older);
  await emit(older, 2);
  const db = await store(key);
  await emit(db, 3);
  await flush(db);
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => "chain" in JSON.parse(line))).toEqual([false, false, true]);
  expect(await trusted(db, 0)).toEqual([[1, 2, 3], []]);
});
