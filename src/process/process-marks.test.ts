import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { newToken } from "../../test/fakes/fake.ts";
import { inheritedMark, markedProcesses } from "./process-marks.ts";
import { surveyProcesses } from "./process-table.ts";

const onLinux = process.platform === "linux";
const marker = `marker-${newToken()}`;
const [prlimit = "", ...limit] = onLinux ? await inheritedMark(marker) : [];

test.skipIf(!onLinux)("LOOP-10: who is gone before its mark was read may have left another", async () => {
  const ended = spawn("true");
  await once(ended, "exit");
  const gone = { pid: ended.pid ?? 0, parent: 1, group: 1, startTime: "1" };
  expect((await markedProcesses({ running: [], zombies: [], vanished: 0 }, marker)).settled).toBe(true);
  expect((await markedProcesses({ running: [], zombies: [], vanished: 1 }, marker)).settled).toBe(false);
  expect((await markedProcesses({ running: [gone], zombies: [], vanished: 0 }, marker)).settled).toBe(false);
  expect((await markedProcesses({ running: [], zombies: [gone], vanished: 0 }, marker)).settled).toBe(false);
});

test.skipIf(!prlimit)(
  "LOOP-10: one that has ended tells its group as long as nobody has looked",
  async () => {
    // It never asks how its child has ended.
    const parent = spawn(prlimit, [...limit, "sh", "-c", "sleep 0 & exec sleep 60"], { detached: true });
    try {
      let found = await markedProcesses(await surveyProcesses(), marker);
      for (let n = 0; n < 1000 && found.zombies.length === 0; n++) {
        await sleep(10);
        found = await markedProcesses(await surveyProcesses(), marker);
      }
      expect([...found.running]).toEqual([parent.pid]);
      expect(found.zombies).toMatchObject([{ parent: parent.pid, group: parent.pid }]);
      expect(found.settled).toBe(false);
    } finally {
      parent.kill("SIGKILL");
    }
  },
);
