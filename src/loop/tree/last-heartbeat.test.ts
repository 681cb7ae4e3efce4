import { appendFileSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, tempFolder } from "../../../test/temp-repository.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { thisOwner } from "../../agents/supervision.ts";
import { insertRun, openRuns } from "../rows/run-store.ts";
import { type LastHeartbeat, lastHeartbeatOf } from "./last-heartbeat.ts";

afterEach(removeTempRepositories);

const second = 1_000_000_000n;

/** What recovery concludes from `text` in the file of a killed run, and the file's time of change. */
async function conclude(
  text: (now: bigint) => string,
  more = (_: string): void => undefined,
): Promise<{ readonly lastAlive: LastHeartbeat; readonly mark: bigint }> {
  const db = await openTempStore();
  const folder = tempFolder();
  const startedAt = "2026-01-02T03:04:05.000Z";
  const run = { id: "dead", startedAt, agent: "command", strategy: "fixed", owner: thisOwner() };
  await db.transaction((tx) => insertRun(tx, { ...run, model: null, session: null, branch: null }));
  mkdirSync(join(folder, "alive"));
  const path = join(folder, "alive/dead");
  writeFileSync(path, text(BigInt(Date.now()) * 1_000_000n));
  writeFileSync(join(folder, "alive/present"), "");
  more(path);
  const lastAlive = await lastHeartbeatOf({ db, folder, runId: "present" }, await openRuns(db), []);
  if (!lastAlive) throw new Error("no last sign of life");
  return { lastAlive, mark: lstatSync(path, { bigint: true }).ctimeNs };
}

const beat = (ns: bigint): string => `beat ${String(ns).padStart(20, "0")}\n`;

test("LOOP-22: a mark that its watcher made late on a busy machine counts from the run's end", async () => {
  const { lastAlive, mark } = await conclude(
    (now) => `fine\n${beat(now - 3n * second)}died\ndied 10 ${second} ${second / 2n + 10n} ${second * 2n}\n`,
  );
  expect(lastAlive.wasDeadAt(mark - (second * 3n) / 2n)).toBe(true);
  expect(lastAlive.wasDeadAt(mark - (second * 3n) / 2n - 1n)).toBe(false);
});

test("LOOP-22: what changed up to one beat after the last beat is the agent's, though the mark says earlier", async () => {
  let last = 0n;
  const { lastAlive } = await conclude((now) => {
    last = now - second / 2n;
    return `fine\n${beat(last)}died\ndied 0 0 0 0\n`;
  });
  expect([lastAlive.wasDeadAt(last + second), lastAlive.wasDeadAt(last + second + 1n)]).toEqual([
    false,
    true,
  ]);
});

test("LOOP-22: a mark long after the last beat is late: what changed meanwhile is a person's", async () => {
  const { lastAlive, mark } = await conclude(
    (now) => `fine\n${beat(now - 60n * second)}died\ndied 0 0 0 0\n`,
  );
  expect([lastAlive.wasDeadAt(mark - 50n * second), lastAlive.wasDeadAt(mark - 58n * second)]).toEqual([
    true,
    false,
  ]);
});

test("LOOP-22: recovery waits for the mark of a run that has just died, and reads one without times", async () => {
  const { lastAlive, mark } = await conclude(
    () => "fine\n",
    (path) => setTimeout(() => appendFileSync(path, "died\ndied\n"), 100),
  );
  expect([lastAlive.wasDeadAt(mark), lastAlive.wasDeadAt(mark - 1n)]).toEqual([true, false]);
});

test("LOOP-22: without a mark soon after the last beat, what changed since that beat is a person's", async () => {
  const { lastAlive, mark } = await conclude((now) => `fine\n${beat(now)}`);
  expect([lastAlive.wasDeadAt(mark + 1n), lastAlive.wasDeadAt(mark)]).toEqual([true, false]);
});
