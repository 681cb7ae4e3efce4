import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { openStore } from "../store/open-store.ts";
import { openEventLog } from "./event-log.ts";
import { readLog } from "./log/read-log.ts";
import { readFirstPending } from "./outbox-store.ts";

test("TRUST-12: very many and very long events move to the log in parts, in order", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ralph-outbox-"));
  const file = join(folder, "events.jsonl");
  const db = await openStore({ path: join(folder, "progress.db"), history: null });
  const log = openEventLog({ db, file, clock: systemClock });
  const long = "x".repeat(17_000_000);
  const add = `INSERT INTO outbox (timestamp, type, data, rows) SELECT '2026', 'test.noted', json_object('n', i, 'text', CASE WHEN i < 3 THEN ? ELSE '' END), '[]'
    FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) SELECT i FROM n)`;
  await db.transaction((tx) => tx.run(add, [long]));
  // The two long ones together are too much.
  expect((await readFirstPending(db)).map(({ seq }) => seq)).toEqual([1]);
  await log.flush();
  const all = Array.from({ length: 6000 }, (_, at) => at + 1);
  expect(await readFirstPending(db)).toEqual([]);
  expect((await readLog(file)).map((event) => event["n"])).toEqual(all);
  await db.close();
  await rm(folder, { recursive: true });
});
