import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { type Practice, ralphBin } from "../e2e/practice.ts";
import { stage } from "./phases.ts";

let project: Practice;
afterEach(() => project?.remove());

const hasTerminals =
  process.platform !== "win32" && spawnSync("python3", ["-c", "import pty, termios"]).status === 0;

interface Ended {
  readonly signal: number | null;
  readonly code: number | null;
  /** The terminal's modes are as they were. */
  readonly same: boolean;
  readonly seconds: number;
  readonly screen: string;
}

/** Runs ralph on a terminal of its own until its agent is at work, and does `deed` then. */
async function onTerminal(deed: "once" | "twice" | "close"): Promise<Ended> {
  project = await stage();
  project.write("../arm-agent", "");
  const script = join(import.meta.dirname, "on-terminal.py");
  const argv = [script, join(project.dir, "../at-agent"), deed, process.execPath, ralphBin, "run"];
  const env = { ...project.env, TERM: "xterm" };
  const { stdout } = await promisify(execFile)("python3", argv, { cwd: project.dir, env });
  return JSON.parse(stdout) as Ended;
}

const drawn = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;
/** What erases the live line. */
const erase = "\r\u001b[2K";

// The whole form: npm run test:signals.
const deeds = process.env["RALPH_TEST_SIGNALS"] ? (["once", "twice"] as const) : (["once"] as const);

test.skipIf(!hasTerminals).each(deeds)(
  "LOOP-10: Ctrl-C typed %s leaves the terminal as it was: modes, cursor, no half-drawn line",
  async (deed) => {
    const end = await onTerminal(deed);
    expect(end).toMatchObject({ signal: 2, code: null, same: true });
    expect(end.screen).toMatch(drawn);
    // Never hidden, or shown again after it was.
    expect(end.screen.lastIndexOf("\u001b[?25l")).toBeLessThanOrEqual(end.screen.lastIndexOf("\u001b[?25h"));
    expect(end.screen.slice(end.screen.lastIndexOf(erase))).not.toMatch(drawn);
    expect(end.screen).toContain("stopping: the agent is being ended");
    expect(end.seconds).toBeLessThan(deed === "twice" ? 10 : 60);
    expect(await project.json("task", "list")).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
  },
  180_000,
);

test.skipIf(!hasTerminals)(
  "LOOP-10: a terminal whose window is closed stops the run, which still records and releases",
  async () => {
    const end = await onTerminal("close");
    expect(end).toMatchObject({ signal: 1, code: null });
    expect(await project.json("status")).toMatchObject({ run: { active: false, stopReason: "stopped" } });
    expect(await project.json("task", "list")).toMatchObject([{ status: "pending", attempts: 0 }, {}]);
  },
  180_000,
);
