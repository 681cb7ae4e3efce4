import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createTask, listTasks } from "../src/tasks/graph/task-store.ts";
import { bundledFake } from "./fakes/bundled-fake.ts";
import { openTempStore } from "./temp-store.ts";

const run = promisify(execFile);

test("LOOP-2: of eight processes that race for 100 tasks, each task goes to exactly one", async () => {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (let at = 0; at < 100; at++)
      await createTask(tx, { id: `task-${at}`, title: `Task ${at}` }, new Date());
  });
  const racer = [bundledFake("claim-racer"), db.location];
  const racers = await Promise.all(Array.from({ length: 8 }, () => run(process.execPath, racer)));
  const lines = racers.flatMap(({ stdout }) => stdout.split("\n").filter((line) => line !== ""));
  expect(racers.map(({ stderr }) => stderr).join("")).toBe("");
  expect(lines.toSorted()).toEqual(
    Array.from({ length: 100 }, (_, at) => `task-${at} 1 completed`).toSorted(),
  );
  expect((await listTasks(db)).every(({ status }) => status === "done")).toBe(true);
});
