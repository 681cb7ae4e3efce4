import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, ralphStart } from "../e2e/practice.ts";

// The whole form: npm run test:signals.
const isLong = process.env["RALPH_TEST_SIGNALS"] !== undefined;
const size = isLong ? 6000 : 1500;

let made: Practice;
afterEach(() => made?.remove());

const list = (word: string): string =>
  `tasks:\n${Array.from({ length: size }, (_, n) => `  - id: T-${n}\n    title: ${word} ${n}\n    tags: [a, b]\n`).join("")}`;

async function withList(): Promise<void> {
  made = practice({ "tasks.yaml": list("do") });
  await made.useWorker({ "*": [{ write: { "src/{id}.txt": "x\n" } }] }, 'verify: ["true"]\n');
}

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [...ralphStart, ...args], {
    cwd: made.dir,
    env: made.env,
    stdio: ["ignore", "ignore", "ignore"],
  });
}

/** Sends the signal and returns how the process ended, and after how many milliseconds. */
async function signalled(
  child: ChildProcess,
  signal: NodeJS.Signals,
): Promise<{ by: string | null; ms: number }> {
  const ended = new Promise<string | null>((done) => child.once("exit", (_, by) => done(by)));
  const at = performance.now();
  child.kill(signal);
  return { by: await ended, ms: performance.now() - at };
}

async function eventually(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 6000 && !holds(); n++) await sleep(5);
  if (!holds()) throw new Error("it never came to that");
}

const isAlive = (): boolean => {
  const folder = join(made.dir, ".ralph/alive");
  return existsSync(folder) && readdirSync(folder).length > 0;
};

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Milliseconds after the run took the project: it reads the list, stores and publishes its changes. */
const moments = signals.flatMap((signal) =>
  [50, 200, 500, 1000, 2000, 4000].map((after) => ({ signal, after })),
);

test.each(isLong ? moments : [{ signal: "SIGINT", after: 300 } as const])(
  "LOOP-10 LOOP-11 TRUST-12: $signal ends a run at once that adopts a large list, $after ms after it began",
  { timeout: 300_000 },
  async ({ signal, after }) => {
    await withList();
    await made.ralph("task", "import", "tasks.yaml");
    made.write("tasks.yaml", list("now do"));
    made.git("commit", "-q", "-am", "other words");
    const run = start("run");
    await eventually(isAlive);
    await sleep(after);
    const { by, ms } = await signalled(run, signal);
    expect(by).toBe(signal);
    expect(ms).toBeLessThan(1000);
    const { code, events } = await made.run("--once");
    expect([code, events.at(-1)?.["type"]]).toEqual([3, "run.finished"]);
    expect(await made.json("task", "show", "T-0")).toMatchObject({ title: "now do 0", status: "done" });
    expect(made.commits()[0]).toBe("now do 0 (T-0)");
  },
);

test.each(isLong ? [200, 400, 800, 1600, 3200] : [])(
  "LOOP-10 TASK-4: SIGINT ends `ralph task import` at once, after %i ms, and it imported all tasks or none",
  { timeout: 300_000 },
  async (after) => {
    await withList();
    const command = start("task", "import", "tasks.yaml");
    await sleep(after);
    const { by, ms } = await signalled(command, "SIGINT");
    if (by !== null) expect([by, ms < 1000]).toEqual(["SIGINT", true]);
    const { code, stdout } = await made.ralph("task", "list", "--json");
    expect([0, size]).toContain(code === 0 ? (JSON.parse(stdout) as unknown[]).length : 0);
    expect((await made.ralph("task", "import", "tasks.yaml")).code).toBe(0);
    expect(await made.json("task", "list")).toHaveLength(size);
  },
);
