import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { openStore } from "../../store/open-store.ts";
import type { EventInput } from "../event.ts";
import { openEventLog } from "../event-log.ts";
import { record } from "../outbox-store.ts";

test("CTX-2: a followed run's events reach its listeners once, also those that another process moved to the log", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ralph-events-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [path, file] = [join(folder, "progress.db"), join(folder, "events.jsonl")];
  const db = await openStore({ path, history: null });
  const log = openEventLog({ db, file, clock: systemClock });
  const emit = (event: EventInput): Promise<void> =>
    db.transaction((tx) => record(tx, event, systemClock.now()));
  const ofRun = (n: number): EventInput => ({ type: "note.added", runId: "r-1", data: { n } });
  const heard: unknown[] = [];
  log.subscribe((event) => heard.push(event["n"]));
  await log.follow("r-1");
  const other = await openStore({ path, history: null });
  const otherLog = openEventLog({ db: other, file, clock: systemClock });
  await emit(ofRun(1));
  await log.flush();
  await emit(ofRun(2));
  await emit({ type: "note.added", data: { n: 3 } });
  await otherLog.flush();
  await emit(ofRun(4));
  await log.flush();
  await emit(ofRun(5));
  await otherLog.flush();
  await Promise.all([log.flush(), log.flush()]);
  await log.flush();
  await other.close();
  await db.close();
  // The third one belongs to no run: the process that recorded it has reported it.
  expect(heard).toEqual([1, 2, 4, 5]);
});
