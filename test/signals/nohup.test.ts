import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Practice, ralphStart, withTasks } from "../e2e/practice.ts";
import { variants } from "../test-size.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const runLine = `"$0" "$@" run`;

test.runIf(existsSync("/bin/bash") && existsSync("/proc/self/status")).each(
  variants(
    [
      ["nohup ralph run", `nohup ${runLine}`],
      ["a script under nohup", `trap "" HUP; ${runLine}; exit $?`],
    ],
    1,
  ),
)("LOOP-10: a run survives the end of its terminal, started by %s", async (_, line) => {
  const waits = { run: [["sh", "-c", ": > ../at; sleep 1"]], write: { "src/{id}.txt": "fine\n" } };
  project = await withTasks({ "*": [waits] }, ["one"], "verify: []\n");
  const { dir, env } = project;
  const stdio = ["ignore", "ignore", "ignore"] as const;
  const words = ["-c", line, process.execPath, ...ralphStart];
  // A group of its own, as a shell gives a job: the end of a terminal signals all of it.
  const run = spawn("/bin/bash", words, { cwd: dir, env, stdio: [...stdio], detached: true });
  const ended = new Promise((end) => run.on("exit", (code, signal) => end([code, signal])));
  while (!existsSync(join(dir, "../at"))) await sleep(20);
  process.kill(-Number(run.pid), "SIGHUP");
  expect(await ended).toEqual([0, null]);
  expect(project.commits()).toContain("one");
});
