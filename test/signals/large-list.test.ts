import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { copyOf, type Practice, practice, ralphStart } from "../e2e/practice.ts";
import { scaledLimit } from "../scaled-limit.ts";

// The whole form: npm run test:signals.
const isLong = process.env["RALPH_TEST_SIGNALS"] !== undefined;
const size = isLong ? 10_000 : 2000;

const list = (word: string): string =>
  `tasks:\n${Array.from({ length: size }, (_, n) => `  - id: T-${n}\n    title: ${word} ${n}\n    priority: high\n    tags: [a, b]\n    files: [src/a.ts]\n    completed: false\n`).join("")}`;

/** A text that takes the parser as long as any, before it is refused. */
const hostile = `tasks: [${"{},".repeat(330_000)}]\n`;

/** What agents do to the list. */
const deeds = {
  "leaves the list alone": "true",
  "edits a task": "sed -i 's/^    title: do 77$/    title: other/' tasks.yaml",
  "ticks other tasks": "sed -i '30,90s/completed: false/completed: true/' tasks.yaml",
  "writes another list": "sed 's/do /write /' tasks.yaml > new && mv new tasks.yaml",
  "writes a hostile list": "cp ../hostile.yaml tasks.yaml",
} as const;

let imported: Practice;
let made: Practice;
beforeAll(async () => {
  imported = practice({ "tasks.yaml": list("do") });
  const step = { run: [["sh", "../deed.sh"]], write: { "src/{id}.txt": "x\n" } };
  await imported.useWorker({ "*": [step] }, 'verify: ["true"]\n');
  imported.write("../hostile.yaml", hostile);
  await imported.ralph("task", "import", "tasks.yaml");
});
afterAll(() => imported?.remove());
afterEach(() => made?.remove());

async function copy(deed: keyof typeof deeds = "leaves the list alone"): Promise<void> {
  made = copyOf(imported);
  await made.approveConfig();
  made.write("../deed.sh", `${deeds[deed]}\n`);
}

function start(...args: string[]): ChildProcess {
  const preload = ["--require", join(import.meta.dirname, "signal-waits.cjs")];
  return spawn(process.execPath, [...preload, ...ralphStart, ...args], {
    cwd: made.dir,
    env: { ...made.env, RALPH_TEST_SIGNAL_WAITS: join(made.dir, "../signal-waits") },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const ended = (child: ChildProcess): Promise<{ code: number | null; by: string | null }> =>
  new Promise((done) => child.once("exit", (code, by) => done({ code, by })));

/** Sends the signal; returns how the process ended, and after how many milliseconds that was, or that it said so. */
async function signalled(
  child: ChildProcess,
  signal: NodeJS.Signals,
): Promise<{ by: string | null; ms: number }> {
  const end = ended(child);
  const handled = said(child, "stderr", "stopping");
  const at = performance.now();
  child.kill(signal);
  await handled;
  return { ms: performance.now() - at, by: (await end).by };
}

/** Resolves when the process has said that so often, or ends. */
const said = (child: ChildProcess, on: "stdout" | "stderr", text: string, times = 1): Promise<void> =>
  new Promise((done) => {
    let all = "";
    child[on]?.on("data", (chunk: Buffer) => {
      all += chunk.toString();
      if (all.split(text).length > times) done();
    });
    child.once("exit", () => done());
  });

async function eventually(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 6000 && !holds(); n++) await sleep(5);
  if (!holds()) throw new Error("it never came to that");
}

const isAlive = (): boolean => {
  const folder = join(made.dir, ".ralph/alive");
  return existsSync(folder) && readdirSync(folder).length > 0;
};

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const kinds = Object.keys(deeds) as (keyof typeof deeds)[];

/** The longest time in which a signal would have waited, in milliseconds. */
function longestWait(): number {
  const waits = readFileSync(join(made.dir, "../signal-waits"), "utf8").trim().split("\n").map(Number);
  expect(waits.length).toBeGreaterThan(10);
  return Math.max(...waits);
}

/** In the second iteration. */
const whenRead = kinds.flatMap((deed) =>
  ["agent.finished", "verification.finished"].flatMap((event) =>
    [0, 150, 600].map((after) => ({ deed, event, after })),
  ),
);

const fewWhenRead = [{ deed: "ticks other tasks", event: "agent.finished", after: 50 }] as const;

test.each(isLong ? whenRead : fewWhenRead)(
  "LOOP-10 TRUST-12: no signal waits for a second in a run whose agent $deed, and which SIGINT ends, $after ms after $event",
  { timeout: 300_000 },
  async ({ deed, event, after }) => {
    await copy(deed);
    const run = start("run", "--json");
    await said(run, "stdout", `"type":"${event}"`, 2);
    await sleep(after);
    const { by, ms } = await signalled(run, "SIGINT");
    expect(by).toBe("SIGINT");
    expect(ms).toBeLessThan(scaledLimit(1000));
    expect(longestWait()).toBeLessThan(scaledLimit(1000));
    expect(await made.json("task", "list", "--status", "in_progress")).toEqual([]);
    if (deed === "writes a hostile list") return;
    const done = (await made.json("task", "list", "--status", "done")) as unknown[];
    expect(done.length).toBeGreaterThan(0);
    const ticks = made.git("grep", "-c", "completed: true", "HEAD", "--", "tasks.yaml");
    expect(ticks).toBe(`HEAD:tasks.yaml:${done.length}`);
  },
);

test.each(isLong ? kinds : [])(
  "LOOP-10 TRUST-12: no signal waits for a second in a run whose agent %s, to its own end",
  { timeout: 300_000 },
  async (deed) => {
    await copy(deed);
    const run = start("run", "--once");
    run.stdout?.resume();
    run.stderr?.resume();
    expect(await ended(run)).toEqual({ code: 3, by: null });
    expect(longestWait()).toBeLessThan(scaledLimit(1000));
  },
);

/** Milliseconds after the run took the project: it reads the list, stores and publishes its changes. */
const moments = signals.flatMap((signal) =>
  [50, 200, 500, 1000, 2000, 4000].map((after) => ({ signal, after })),
);

test.each(isLong ? moments : [{ signal: "SIGINT", after: 300 } as const])(
  "LOOP-10 LOOP-11 TRUST-12: $signal ends a run at once that adopts a large list, $after ms after it began",
  { timeout: 300_000 },
  async ({ signal, after }) => {
    await copy();
    made.write("tasks.yaml", list("now do"));
    made.git("commit", "-q", "-am", "other words");
    const run = start("run");
    await eventually(isAlive);
    await sleep(after);
    const { by, ms } = await signalled(run, signal);
    expect(by).toBe(signal);
    expect(ms).toBeLessThan(scaledLimit(1000));
    if (!isLong) return;
    const { code, events } = await made.run("--once");
    expect([code, events.at(-1)?.["type"]]).toEqual([3, "run.finished"]);
    expect(await made.json("task", "show", "T-0")).toMatchObject({ title: "now do 0", status: "done" });
    expect(made.commits()[0]).toMatch(/^now do (\d+) \(T-\1\)$/);
  },
);

test.each(isLong ? moments : [{ signal: "SIGTERM", after: 100 } as const])(
  "LOOP-10 LOOP-11 TRUST-12: $signal ends a run at once that begins with a hostile list, $after ms after it began",
  { timeout: 300_000 },
  async ({ signal, after }) => {
    await copy();
    made.write("tasks.yaml", hostile);
    made.git("commit", "-q", "-am", "hostile");
    const run = start("run");
    await eventually(isAlive);
    await sleep(after);
    // By then it may have refused the list.
    if (run.exitCode !== null) {
      expect(run.exitCode).toBe(2);
      return;
    }
    const { by, ms } = await signalled(run, signal);
    expect(ms).toBeLessThan(scaledLimit(1000));
    if (after < 500) expect(by).toBe(signal);
    if (isLong) expect((await made.run("--once")).code).toBe(2);
  },
);

test.each(isLong ? [200, 400, 800, 1600, 3200] : [])(
  "LOOP-10 TASK-4: SIGINT ends `ralph task import` at once, after %i ms, and it imported all tasks or none",
  { timeout: 300_000 },
  async (after) => {
    made = practice({ "tasks.yaml": list("do") });
    const command = start("task", "import", "tasks.yaml");
    command.stdout?.resume();
    await sleep(after);
    const { by, ms } = await signalled(command, "SIGINT");
    if (by !== null) expect([by, ms < 1000]).toEqual(["SIGINT", true]);
    const { code, stdout } = await made.ralph("task", "list", "--json");
    expect([0, size]).toContain(code === 0 ? (JSON.parse(stdout) as unknown[]).length : 0);
    expect((await made.ralph("task", "import", "tasks.yaml")).code).toBe(0);
    expect(await made.json("task", "list")).toHaveLength(size);
  },
);
