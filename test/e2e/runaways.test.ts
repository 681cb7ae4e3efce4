import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, ralphStart } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const onLinux = existsSync("/proc/self/environ");

// The long form: RALPH_TEST_LINE_MB=600.
const megabytes = Number(process.env["RALPH_TEST_LINE_MB"] ?? 300);

test.skipIf(!onLinux)(
  `IF-1: an agent that prints ${megabytes} MB on one line leaves ralph under 250 MB`,
  async () => {
    project = practice({ "src/base.txt": "x" });
    const flood = `const a = Buffer.alloc(1 << 20, 97); const fs = require("node:fs");
    for (let n = 0; n < ${megabytes}; n++) for (let at = 0; at < a.length; ) { try { at += fs.writeSync(1, a, at); } catch (e) { if (e.code !== "EAGAIN") throw e; } }
    fs.writeFileSync("src/flood.txt", "x"); console.log("\\n<task-done>" + process.env.RALPH_TASK_ID + "</task-done>");`;
    project.write("flood.cjs", flood);
    project.write(
      ".ralph/config.yaml",
      'agent: command\nagents:\n  command: { argv: [node, flood.cjs] }\nverify: ["true"]\n',
    );
    project.git("add", "-A");
    project.git("commit", "-qm", "flood");
    await project.approveConfig();
    await project.addTasks(["one"]);
    const child = spawn(process.execPath, [...ralphStart, "run"], {
      cwd: project.dir,
      env: project.env,
      stdio: "ignore",
    });
    let peakKb = 0;
    const watch = setInterval(() => {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
        peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      } catch {
        // It has just ended.
      }
    }, 50);
    const code = await new Promise((done) => child.once("exit", done));
    clearInterval(watch);
    expect(code).toBe(0);
    expect(peakKb).toBeGreaterThan(10_000);
    expect(peakKb / 1024).toBeLessThan(250);
  },
);
