import { newId } from "../../src/base/ids.ts";
import { openStore } from "../../src/store/open-store.ts";
import { claimTask } from "../../src/tasks/graph/claim-store.ts";
import { nextTask } from "../../src/tasks/graph/next-task.ts";
import { completeTask } from "../../src/tasks/graph/task-transitions.ts";

/** Takes and completes tasks of the store in argv until none is left; prints `id token completed` for each. */
const [path = ""] = process.argv.slice(2);
const db = await openStore({ path, create: false });
const owner = { pid: process.pid, startTime: "0", bootId: "b", host: "h" };
const runId = newId("r");
for (;;) {
  // Read outside the transaction, so that several look at the same task.
  const task = await nextTask(db);
  if (!task) break;
  const claim = await db.transaction((tx) => claimTask(tx, { taskId: task.id, owner, runId }, new Date()));
  if (!claim) continue;
  const end = await db.transaction((tx) => completeTask(tx, claim, new Date()));
  process.stdout.write(`${task.id} ${claim.token} ${end ? "completed" : "refused"}\n`);
}
await db.close();
