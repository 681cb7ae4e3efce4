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
/** Milliseconds for which a signal may wait. */
const maxWait = scaledLimit(1000);

const list = (word: string): string =>
  `tasks:\n${Array.from({ length: size }, (_, n) => `  - id: T-${n}\n    title: ${word} ${n}\n    priority: high\n    tags: [a, b]\n    files: [src/a.ts]\n    completed: false\n`).join("")}`;

/** The agents' changes of the list. The last text takes the parser as long as any, before it is refused. */
const deeds = {
  "ticks other tasks": "sed -i '30,90s/completed: false/completed: true/' tasks.yaml",
  "writes another list": "sed 's/do /write /' tasks.yaml > new && mv new tasks.yaml",
  "writes a hostile list": "cp ../hostile.yaml tasks.yaml",
} as const;
const hostile = `tasks: [${"{},".repeat(230_000)}]\n`;

let imported: Practice;
let made: Practice;
beforeAll(async () => {
  imported = practice({ "tasks.yaml": list("do") });
  const step = { run: [["sh", "../deed.sh"]], write: { "src/{id}.txt": "x\n" } };
  await imported.useWorker({ "*": [step] }, 'verify: ["true"]\n');
  imported.write("../hostile.yaml", hostile);
  imported.write("../deed.sh", "true\n");
  await imported.ralph("task", "import", "tasks.yaml");
});
afterAll(() => imported?.remove());
afterEach(() => made?.remove());

/** Starts ralph in a copy of the project, with a program that measures how long signals wait. */
async function start(files: Readonly<Record<string, string>>, ...args: string[]): Promise<ChildProcess> {
  made = copyOf(imported);
  await made.approveConfig();
  for (const [path, text] of Object.entries(files)) made.write(path, text);
  if (files["tasks.yaml"] !== undefined) made.git("commit", "-q", "-am", "another list");
  const preload = ["--require", join(import.meta.dirname, "signal-waits.cjs")];
  return spawn(process.execPath, [...preload, ...ralphStart, ...args], {
    cwd: made.dir,
    env: { ...made.env, RALPH_TEST_SIGNAL_WAITS: join(made.dir, "../signal-waits") },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Resolves when the process has written that so often, or ends. */
const said = (child: ChildProcess, on: "stdout" | "stderr", text: string, times = 1): Promise<void> =>
  new Promise((done) => {
    let all = "";
    child[on]?.on("data", (chunk: Buffer) => {
      all += chunk.toString();
      if (all.split(text).length > times) done();
    });
    child.once("exit", () => done());
  });

/** Sends the signal. Returns how the process ended, and after how many milliseconds it reported the signal or ended. */
async function signalled(
  child: ChildProcess,
  signal: NodeJS.Signals,
): Promise<{ readonly by: string | null; readonly ms: number }> {
  const end = new Promise<string | null>((done) => child.once("exit", (_, by) => done(by)));
  const handled = said(child, "stderr", "stopping");
  const at = performance.now();
  child.kill(signal);
  await handled;
  return { ms: performance.now() - at, by: await end };
}

const kinds = Object.keys(deeds) as (keyof typeof deeds)[];
const moments = [0, 150, 600].flatMap((after) => kinds.map((deed) => ({ deed, after })));

test.each(isLong ? moments : [{ deed: "writes another list", after: 100 } as const])(
  "LOOP-10 TRUST-12: no signal waits for a second in a run whose agent $deed, and which SIGINT ends $after ms later",
  { timeout: 300_000 },
  async ({ deed, after }) => {
    const run = await start({ "../deed.sh": `${deeds[deed]}\n` }, "run", "--json");
    await said(run, "stdout", '"type":"agent.finished"', 2);
    await sleep(after);
    const { by, ms } = await signalled(run, "SIGINT");
    expect(by).toBe("SIGINT");
    expect(ms).toBeLessThan(maxWait);
    const waits = readFileSync(join(made.dir, "../signal-waits"), "utf8").trim().split("\n").map(Number);
    expect(waits.length).toBeGreaterThan(10);
    expect(Math.max(...waits)).toBeLessThan(maxWait);
    expect(await made.json("task", "list", "--status", "in_progress")).toEqual([]);
  },
);

const isAlive = (): boolean => {
  const folder = join(made.dir, ".ralph/alive");
  return existsSync(folder) && readdirSync(folder).length > 0;
};

test.each(isLong ? [50, 200, 500, 1000, 2000, 4000] : [300])(
  "LOOP-10 LOOP-11 TRUST-12: SIGTERM ends a run at once that adopts a large or a hostile list, %i ms after it began",
  { timeout: 300_000 },
  async (after) => {
    for (const text of [list("now do"), hostile]) {
      const run = await start({ "tasks.yaml": text }, "run");
      while (!isAlive()) await sleep(5);
      await sleep(after);
      // By then it may have refused the hostile list.
      if (run.exitCode === 2) continue;
      const { by, ms } = await signalled(run, "SIGTERM");
      expect(by).toBe("SIGTERM");
      expect(ms).toBeLessThan(maxWait);
      made.remove();
    }
  },
);
