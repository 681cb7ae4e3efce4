import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, tempFolder } from "../../../test/temp-repository.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { thisOwner } from "../../agents/supervision.ts";
import { insertRun, openRuns } from "../rows/run-store.ts";
import { lastHeartbeatOf } from "./last-heartbeat.ts";

afterEach(removeTempRepositories);

const second = 1_000_000_000n;

/** Writes the files of a killed run and of the present one, in this order. Returns what recovery concludes. */
async function conclude(order: readonly string[]) {
  const db = await openTempStore();
  const folder = tempFolder();
  const startedAt = "2026-01-02T03:04:05.000Z";
  const run = { id: "dead", startedAt, agent: "command", strategy: "fixed", owner: thisOwner() };
  await db.transaction((tx) => insertRun(tx, { ...run, model: null, session: null, branch: null }));
  mkdirSync(join(folder, "alive"));
  const changes: bigint[] = [];
  for (const name of order) {
    writeFileSync(join(folder, "alive", name), "");
    changes.push(lstatSync(join(folder, "alive", name), { bigint: true }).ctimeNs);
    await sleep(20);
  }
  const lastAlive = await lastHeartbeatOf({ folder, runId: "present" }, await openRuns(db), []);
  if (!lastAlive) throw new Error("no last heartbeat");
  return { lastAlive, changes };
}

test("LOOP-22: what changed up to one beat after the last is the agent's, later a person's", async () => {
  const { lastAlive, changes } = await conclude(["dead", "present"]);
  const [last = 0n] = changes;
  expect([last, last + second, last + second + 2000n].map(lastAlive.wasDeadAt)).toEqual([false, false, true]);
});

test("LOOP-22: after a clock was set back, every change is a person's", async () => {
  const { lastAlive, changes } = await conclude(["present", "dead"]);
  expect(changes.map(lastAlive.wasDeadAt)).toEqual([true, true]);
});

test("LOOP-22: without a heartbeat, all changes since the run began are a person's", async () => {
  const { lastAlive } = await conclude(["present"]);
  const began = BigInt(Date.parse("2026-01-02T03:04:05.000Z")) * 1_000_000n;
  expect([began, began + 2n * second].map(lastAlive.wasDeadAt)).toEqual([false, true]);
});
