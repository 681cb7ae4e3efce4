import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import { registerSecrets } from "../../trust/registered-secrets.ts";
import { claimTask } from "./claim-store.ts";
import { addDependency } from "./task-graph.ts";
import { readTaskLog } from "./task-log-store.ts";
import { createTask, requireTask } from "./task-store.ts";
import { blockTask, failTask, returnTask } from "./task-transitions.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const owner = { pid: 7, startTime: "123", bootId: "boot", host: "here" };
const secret = "correct-horse-battery-staple";
registerSecrets([secret]);

test("TRUST-1: no reason of a status change brings a secret into the store, whoever states it", async () => {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (const id of ["failed", "waits", "blocked", "returned"]) await createTask(tx, { id, title: id }, now);
    await addDependency(tx, { taskId: "waits", blockerId: "failed" }, now);
    const reason = `the server refused ${secret}`;
    await failTask(tx, "failed", reason, now);
    await blockTask(
      tx,
      "blocked",
      { cause: "person", reason: `correct-horse\0-battery-staple and ${secret}` },
      now,
    );
    const claim = await claimTask(tx, { taskId: "returned", owner, runId: "r-1" }, now);
    if (claim) await returnTask(tx, claim, { reason }, now);
  });
  for (const id of ["failed", "waits", "blocked", "returned"]) {
    const task = await requireTask(db, id);
    const texts = [task.statusReason, ...(await readTaskLog(db, id)).map(({ message }) => message)];
    expect(texts.join("\n")).toContain("[redacted:env]");
    expect(texts.join("\n")).not.toContain(secret);
  }
});
