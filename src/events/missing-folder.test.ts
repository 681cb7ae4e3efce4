import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openTempStore } from "../../test/temp-store.ts";
import { systemClock } from "../base/clock.ts";
import { openEventLog } from "./event-log.ts";
import { readLog } from "./log/read-log.ts";
import { hasPending, record } from "./outbox-store.ts";

test("LOOP-18: while an agent has removed the log's folder, events wait for it", async () => {
  const db = await openTempStore();
  const away = join(dirname(db.location), "away");
  const apart = openEventLog({ db, file: join(away, "events.jsonl"), clock: systemClock });
  await db.transaction((tx) => record(tx, { type: "note.added", data: { n: 1 } }, new Date()));
  apart.flushLater();
  await sleep(150);
  apart.flushLater();
  await sleep(150);
  expect(await hasPending(db)).toBe(true);
  await expect(apart.flush()).rejects.toMatchObject({ code: "RALPH_STORE_IO" });
  await mkdir(away);
  apart.flushLater();
  await sleep(150);
  await apart.flush();
  expect((await readLog(join(away, "events.jsonl"))).map((event) => event["n"])).toEqual([1]);
});

test("TRUST-8: when the log cannot be written, the next scheduled flush throws", async () => {
  const db = await openTempStore();
  const apart = openEventLog({ db, file: join(db.location, "events.jsonl"), clock: systemClock });
  await db.transaction((tx) => record(tx, { type: "note.added", data: { n: 1 } }, new Date()));
  apart.flushLater();
  await sleep(150);
  expect(() => apart.flushLater()).toThrow(expect.objectContaining({ code: "RALPH_STORE_IO" }));
  expect(await hasPending(db)).toBe(true);
});
