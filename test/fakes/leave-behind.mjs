// Starts a process that tries to outlive it, and ends, or with a third argument "stay" hangs. The first argument
// names the way it tries; the process is `sleep 60.<second argument>`, by which it can be found.
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [way, token, then] = process.argv.slice(2);
const started = join(tmpdir(), `ralph-fake-started-${token}`);
const linger = `: > '${started}'; exec sleep 60.${token}`;
const quiet = `exec >/dev/null 2>&1 </dev/null; ${linger}`;
// Each generation lives for a moment and leaves another: who is found is gone already.
const respawn = join(import.meta.dirname, "respawn.sh");
const clean = ["-i", `PATH=${process.env.PATH}`];

const ways = {
  child: ["sh", "-c", linger],
  "ignore-term": ["sh", "-c", `trap '' TERM INT HUP; ${quiet}`],
  nohup: ["nohup", "sh", "-c", quiet],
  setsid: ["setsid", "sh", "-c", quiet],
  "setsid-holds-stdout": ["setsid", "sh", "-c", linger],
  "double-fork": ["sh", "-c", `(setsid sh -c "${quiet}" &) ; exit 0`],
  "double-fork-holds-stdout": ["sh", "-c", `(setsid sh -c "${linger}" &) ; exit 0`],
  "env-i-double-fork": ["env", ...clean, "sh", "-c", `cd /; (setsid sh -c "${quiet}" &) ; exit 0`],
  stopped: ["setsid", "sh", "-c", `${quiet.replace("exec sleep", "kill -STOP $$; exec sleep")}`],
  respawner: [
    "setsid",
    "sh",
    "-c",
    `exec >/dev/null 2>&1 </dev/null; : > '${started}'; exec sh '${respawn}' 60.${token}`,
  ],
  "env-i": ["env", ...clean, "sh", "-c", quiet],
  "env-i-setsid": ["env", ...clean, "setsid", "sh", "-c", quiet],
};

const [program, ...args] = ways[way];
spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] }).unref();
// Another ralph that starts on this machine may have ended it before it could say that it is there.
const patient = performance.now() + 15_000;
while (!existsSync(started) && performance.now() < patient)
  await new Promise((resolve) => setTimeout(resolve, 5));
rmSync(started, { force: true });
// As long as an agent at work would take at the least, and enough for its supervisor to have looked.
if (then !== "at-once") await new Promise((resolve) => setTimeout(resolve, 400));
process.stdout.write("left one\n");
if (then === "stay") setInterval(() => {}, 1000);
else process.exit(0);
