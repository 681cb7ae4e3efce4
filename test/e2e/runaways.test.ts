import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, ralphStart } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Processes, but this one, whose environment or command line holds `token`. */
function alive(token: string): readonly string[] {
  const holds = (pid: string, file: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8").includes(token);
    } catch {
      return false;
    }
  };
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return others.filter((pid) => holds(pid, "cmdline") || holds(pid, "environ"));
}

const onLinux = existsSync("/proc/self/environ");

test.skipIf(!onLinux)(
  "LOOP-10: a grandchild in a session of its own does not survive its iteration",
  async () => {
    project = practice({ "src/base.txt": "x" });
    const token = `runaway-${process.pid}-${Date.now()}`;
    const leave = [
      "sh",
      "-c",
      `setsid sh -c 'exec sleep 300 ${token}' >/dev/null 2>&1 & setsid sleep 299 & exit 0`,
    ];
    await project.useWorker(
      { "*": [{ write: { "src/{id}.txt": "x" }, run: [leave] }] },
      'verify: ["true"]\n',
    );
    await project.addTasks(["one"]);
    expect((await project.run()).code).toBe(0);
    expect(alive(token)).toEqual([]);
    expect(alive(`TMPDIR=${project.dir}/.ralph`)).toEqual([]);
  },
);

// A smaller machine may ask for less: RALPH_TEST_LINE_MB=100.
const megabytes = Number(process.env["RALPH_TEST_LINE_MB"] ?? 600);

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
