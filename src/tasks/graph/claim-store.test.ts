import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Tx } from "../../store/port/db.ts";
import {
  claimFlags,
  claimTask,
  heartbeat,
  listClaims,
  markClaimDone,
  markClaimFailed,
  releaseClaim,
} from "./claim-store.ts";
import type { Claim } from "./task.ts";
import { createTask, getTask } from "./task-store.ts";
import { blockTask, completeTask, failTask, markDone, resetTask, returnTask } from "./task-transitions.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const owner = { pid: 7, startTime: "123", bootId: "boot", host: "here" };

async function claim(tx: Tx, taskId: string): Promise<Claim> {
  const claimed = await claimTask(tx, { taskId, owner, runId: "r-1" }, now);
  if (!claimed) throw new Error(`${taskId} could not be claimed`);
  return claimed;
}

test("LOOP-2: a claim carries its owner and a token that rises, and only one can be had", async () => {
  const db = await openTempStore();
  await db.transaction((tx) => createTask(tx, { id: "a", title: "A" }, now));
  // On a server its own clock counts.
  const beat = (at: Date) => (db.dialect.name === "postgres" ? expect.any(String) : at.toISOString());
  const first = await db.transaction((tx) => claim(tx, "a"));
  expect(
    await db.transaction((tx) => claimTask(tx, { taskId: "a", owner, runId: "r-2" }, now)),
  ).toBeUndefined();
  expect(await listClaims(db)).toEqual([
    { ...first, owner, runId: "r-1", claimedAt: now.toISOString(), heartbeatAt: beat(now) },
  ]);
  expect(await getTask(db, "a")).toMatchObject({ status: "in_progress" });
  const later = new Date(now.getTime() + 15_000);
  expect(await db.transaction((tx) => heartbeat(tx, first, later))).toBe(true);
  expect((await listClaims(db))[0]?.heartbeatAt).toEqual(beat(later));
  expect(await db.transaction((tx) => releaseClaim(tx, first, now))).toMatchObject({ status: "pending" });
  const second = await db.transaction((tx) => claim(tx, "a"));
  expect(second.token).toBeGreaterThan(first.token);
});

test("LOOP-2: a late result under an old token is refused and changes nothing", async () => {
  const db = await openTempStore();
  await db.transaction((tx) => createTask(tx, { id: "a", title: "A" }, now));
  const old = await db.transaction((tx) => claim(tx, "a"));
  await db.transaction((tx) => releaseClaim(tx, old, now));
  const late = async (): Promise<void> => {
    const before = await db.all("SELECT * FROM tasks, events");
    await db.transaction(async (tx) => {
      expect(await completeTask(tx, old, now)).toBeUndefined();
      expect(await returnTask(tx, old, { reason: "late" }, now)).toBeUndefined();
      expect(await blockTask(tx, old, { cause: "attempts", reason: "late" }, now)).toBeUndefined();
      expect(await releaseClaim(tx, old, now)).toBeUndefined();
      expect(await heartbeat(tx, old, now)).toBe(false);
    });
    expect(await db.all("SELECT * FROM tasks, events")).toEqual(before);
  };
  await late();
  const current = await db.transaction((tx) => claim(tx, "a"));
  await late();
  expect((await db.transaction((tx) => completeTask(tx, current, now)))?.completed).toHaveLength(1);
  await late();
});

test("LOOP-4: a done typed during the iteration is kept with the claim, and with no other", async () => {
  const db = await openTempStore();
  await db.transaction((tx) => createTask(tx, { id: "a", title: "A" }, now));
  expect(await db.transaction((tx) => markClaimDone(tx, "a"))).toBe(false);
  const held = await db.transaction((tx) => claim(tx, "a"));
  expect(await claimFlags(db, held)).toEqual({ done: false, failed: false });
  expect(await db.transaction((tx) => markClaimDone(tx, "a"))).toBe(true);
  expect(await claimFlags(db, held)).toEqual({ done: true, failed: false });
  await db.transaction((tx) => markClaimFailed(tx, "a"));
  expect(await claimFlags(db, held)).toEqual({ done: true, failed: true });
  expect(await getTask(db, "a")).toMatchObject({ status: "in_progress" });
  await db.transaction((tx) => returnTask(tx, held, { reason: "tests fail" }, now));
  const next = await db.transaction((tx) => claim(tx, "a"));
  expect(await claimFlags(db, next)).toEqual({ done: false, failed: false });
});

test("TASK-9: a person's verdict ends the claim of a run", async () => {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (const id of ["a", "b", "c"]) await createTask(tx, { id, title: id }, now);
  });
  const claims = await db.transaction(async (tx) => [
    await claim(tx, "a"),
    await claim(tx, "b"),
    await claim(tx, "c"),
  ]);
  await db.transaction(async (tx) => {
    await failTask(tx, "a", "no", now);
    await markDone(tx, "b", now);
    await resetTask(tx, "c", now, 0);
    for (const old of claims) expect(await completeTask(tx, old, now)).toBeUndefined();
  });
  expect(await listClaims(db)).toEqual([]);
  expect(await getTask(db, "a")).toMatchObject({ status: "failed" });
  expect(await getTask(db, "b")).toMatchObject({ status: "done" });
});
