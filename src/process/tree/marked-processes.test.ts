import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { newToken } from "../../../test/fakes/fake.ts";
import { inheritedMark, markOf } from "./inherited-mark.ts";
import { markedProcesses } from "./marked-processes.ts";
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

test.skipIf(!prlimit)(
  "LOOP-10: a mark that was lowered stays one, and a limit of others is none",
  async () => {
    const started = (argv: readonly string[]) => spawn(argv[0] ?? "", [...argv.slice(1), "sleep", "60"]);
    const cases = [
      { argv: [prlimit, ...limit], mark: "iteration" },
      { argv: [prlimit, ...limit, "prlimit", "--rss=7168:7168"], mark: "changed" },
      { argv: [prlimit, ...limit, "prlimit", "--locks=7:7"], mark: "changed" },
      { argv: [prlimit, ...limit, "prlimit", "--rss=7168:7168", "--locks=7:7"], mark: "changed" },
      // As systems set it that do not know that Linux ignores it.
      { argv: ["prlimit", "--rss=1048576:1048576"], mark: "none" },
      { argv: ["env"], mark: "none" },
    ];
    for (const { argv, mark } of cases) {
      const child = started(argv);
      try {
        const name = () => readFileSync(`/proc/${child.pid}/comm`, "utf8").trim();
        for (let n = 0; n < 500 && name() !== "sleep"; n++) await sleep(10);
        expect(markOf(child.pid ?? 0), argv.slice(1).join(" ")).toBe(mark);
      } finally {
        child.kill("SIGKILL");
      }
    }
  },
);
