import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Db } from "../../store/port/db.ts";
import { claimTask } from "./claim-store.ts";
import { addDependency } from "./task-graph.ts";
import { readTaskLog } from "./task-log-store.ts";
import { createTask, getTask } from "./task-store.ts";
import { blockTask, eraseReasons, failTask, returnTask } from "./task-transitions.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const owner = { pid: 7, startTime: "123", bootId: "boot", host: "here" };
const [stated, other] = ["the agent reported failure:\nzyxomat", "npm test: exit code 1"];

async function withReasons(): Promise<Db> {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (const id of ["a", "b", "c", "waits"]) await createTask(tx, { id, title: id }, now);
    await addDependency(tx, { taskId: "waits", blockerId: "c" }, now);
    const attempt = async (taskId: string, runId: string, reason: string): Promise<void> => {
      const claim = await claimTask(tx, { taskId, owner, runId }, now);
      if (claim) await returnTask(tx, claim, { reason }, now);
    };
    await attempt("a", "r-1", other);
    await attempt("a", "r-1", stated);
    await attempt("b", "r-1", other);
    await attempt("b", "r-2", other);
    await blockTask(tx, "a", { cause: "attempts", reason: `needs a person: ${stated}` }, now);
    await failTask(tx, "c", stated, now);
  });
  return db;
}

const history = async (db: Db, id: string): Promise<readonly string[]> =>
  (await readTaskLog(db, id)).map(({ message }) => message).filter((text) => !text.startsWith("claimed"));

test("TRUST-4: a purge erases a run's reasons from tasks, their history and what waits for them, and those of no other run", async () => {
  const db = await withReasons();
  const reason = async (id: string) => (await getTask(db, id))?.statusReason;
  expect(await reason("waits")).toContain("zyxomat");
  await db.transaction((tx) => eraseReasons(tx, { runId: "r-1", reasons: ["", other, stated] }, now));
  expect(await history(db, "a")).toEqual([
    "released by run r-1: purged",
    "released by run r-1: purged",
    "blocked (attempts): needs a person: purged",
  ]);
  expect(await reason("a")).toBe("needs a person: purged");
  expect(await history(db, "b")).toEqual(["released by run r-1: purged", `released by run r-2: ${other}`]);
  expect(await reason("b")).toBe(other);
  expect([await reason("c"), await reason("waits")]).toEqual(["purged", "c failed: purged"]);
  expect(await history(db, "waits")).toEqual(["blocked (dependency): c failed: purged"]);
});
