import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Practice, practice, ralphStart } from "../e2e/practice.ts";
import { scaledLimit } from "../scaled-limit.ts";
import { removeStage, stage } from "./phases.ts";

let project: Practice;
afterEach(() => project?.remove());
afterAll(removeStage);

/** The interpreter itself, not a program that looks for it; empty without terminals. */
const python =
  process.platform === "win32"
    ? ""
    : `${spawnSync("python3", ["-c", "import pty, sys, termios; print(sys.executable)"]).stdout ?? ""}`.trim();
const hasTerminals = python !== "";

interface Ended {
  readonly signal: number | null;
  readonly code: number | null;
  /** The terminal's modes are as they were. */
  readonly same: boolean;
  readonly seconds: number;
  readonly screen: string;
}

/** Runs ralph on a terminal of its own and does `action` when each line of `gate` holds: a file, or "screen:" and what is seen. */
async function onTerminal(
  action: "once" | "twice" | "close" | "nothing" | `type:${string}`,
  gate: string,
): Promise<Ended> {
  const script = join(import.meta.dirname, "on-terminal.py");
  const argv = [script, gate, action, process.execPath, ...ralphStart, "run"];
  const env = { ...project.env, TERM: "xterm" };
  const { stdout } = await promisify(execFile)(python, argv, { cwd: project.dir, env });
  return JSON.parse(stdout) as Ended;
}

/** The same while an agent is at work. */
async function amidWork(action: "once" | "twice" | "close"): Promise<Ended> {
  project = await stage();
  project.write("../arm-agent", "");
  // The agent may be there before the line that tells of it is drawn.
  return await onTerminal(action, `${join(project.dir, "../at-agent")}\nscreen:(?:⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏)`);
}

const drawn = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;
/** The characters that erase the live line. */
const erase = "\r\u001b[2K";

/** Returns the text that is left when all is over: of each line, the part after it was erased last. */
const readable = (screen: string): string =>
  screen
    .split(/\r*\n/)
    .map((line) => line.slice(line.lastIndexOf(erase) + 1))
    .join("\n");
const cursorShown = (screen: string): boolean =>
  // Never hidden, or shown again after it was.
  screen.lastIndexOf("\u001b[?25l") <= screen.lastIndexOf("\u001b[?25h");

// The whole form: npm run test:signals.
const actions = process.env["RALPH_TEST_SIGNALS"] ? (["once", "twice"] as const) : (["once"] as const);

test.skipIf(!hasTerminals).each(actions)(
  "LOOP-10: Ctrl-C typed %s leaves the terminal as it was: modes, cursor, no half-drawn line",
  async (action) => {
    const end = await amidWork(action);
    expect(end).toMatchObject({ signal: 2, code: null, same: true });
    expect(end.screen).toMatch(drawn);
    expect(cursorShown(end.screen)).toBe(true);
    expect(readable(end.screen)).not.toMatch(drawn);
    expect(end.screen).toContain("stopping: ending the agent");
    expect(end.seconds).toBeLessThan(scaledLimit(action === "twice" ? 2 : 60));
    expect(await project.json("task", "list")).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
  },
  180_000,
);

test.skipIf(!hasTerminals)(
  "LOOP-10: a terminal whose window is closed stops the run, which still records and releases",
  async () => {
    const end = await amidWork("close");
    expect(end).toMatchObject({ signal: 1, code: null });
    expect(await project.json("status")).toMatchObject({ run: { active: false, stopReason: "stopped" } });
    expect(await project.json("task", "list")).toMatchObject([{ status: "pending", attempts: 0 }, {}]);
  },
  180_000,
);

/** A task whose agent says at its first call that it is limited for `seconds`, and works at its second. */
async function limitedFor(seconds: number, config = 'verify: ["true"]\n'): Promise<void> {
  project = practice({ "src/base.txt": "x" });
  const refuse = { words: `You've hit your usage limit. Try again in ${seconds}s.` };
  const script = { calls: "../calls", "*": [{ refuse }, { write: { "src/{id}.txt": "x" } }] };
  await project.useWorker(script, config);
  await project.addTasks(["one"]);
}

const frame = "[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] command is rate-limited: resets in";

test.skipIf(!hasTerminals)(
  "LOOP-8 LOOP-10: Ctrl-C typed while a wait counts down ends it and leaves the terminal as it was",
  async () => {
    await limitedFor(30);
    const end = await onTerminal("once", `screen:${frame} ([0-9.]+) s.*${frame} (?!\\1 s)`);
    expect(end).toMatchObject({ signal: 2, code: null, same: true });
    expect(cursorShown(end.screen)).toBe(true);
    expect(readable(end.screen)).not.toMatch(drawn);
    expect(end.seconds).toBeLessThan(scaledLimit(20));
    expect(project.read("../calls")).toBe("t-1\n");
    expect(await project.json("task", "list")).toMatchObject([{ status: "pending", attempts: 0 }]);
  },
  180_000,
);

test.skipIf(!hasTerminals)(
  "LOOP-20 LOOP-8: on a terminal ralph shows what fails before the first attempt and asks; a wait is one line that counts down, and is gone when work begins",
  async () => {
    // Long enough for the live line to be there when the question comes.
    const verify = "sleep 0.3; echo 'error: no till'; test -e src/t-1.txt";
    await limitedFor(2, `verifyBaseline: auto\nverify: ["${verify}"]\n`);
    const question = "screen:exit code 1.*Start anyway\\? \\[y/N\\]";
    expect(await onTerminal("type:", question)).toMatchObject({ signal: null, code: 4, same: true });
    // Ctrl-C is an answer, too.
    expect(await onTerminal("once", question)).toMatchObject({ signal: 2, code: null, same: true });
    expect(await project.json("task", "list")).toMatchObject([{ status: "pending", attempts: 0 }]);
    const end = await onTerminal("type:y", question);
    expect(end).toMatchObject({ signal: null, code: 0, same: true });
    expect(await project.json("task", "list")).toMatchObject([{ status: "done", attempts: 1 }]);
    expectCountdown(end.screen);
  },
  180_000,
);

/** Each figure of the wait is lower than the one before, and one line of it stays. */
function expectCountdown(screen: string): void {
  const left = [...screen.matchAll(new RegExp(`${frame} ([\\d.]+) (ms|s) \\(`, "g"))].map(
    ([, number, unit]) => Number(number) * (unit === "s" ? 1000 : 1),
  );
  expect(new Set(left).size).toBeGreaterThan(1);
  expect(left).toEqual(left.toSorted((a, b) => b - a));
  expect(left[0]).toBeLessThan(5000);
  expect(cursorShown(screen)).toBe(true);
  const read = readable(screen);
  expect(read).not.toMatch(drawn);
  expect(read.split("is rate-limited: resets in").length).toBe(2);
  expect(read.indexOf("waiting")).toBeLessThan(read.indexOf("✓ done"));
}
