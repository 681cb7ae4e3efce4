import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, type TestContext, test } from "vitest";
import { namespacePrefix } from "../../src/process/isolation-probe.ts";
import { type Practice, practice, ralphStart } from "../e2e/practice.ts";
import { endFakes, newToken, running } from "../fakes/fake.ts";

// The whole form: RALPH_TEST_RUNAWAYS=25 npx vitest run test/runaways (npm run test:runaways).
const rounds = Number(process.env["RALPH_TEST_RUNAWAYS"] ?? 1);

const whole = rounds > 1;

/** Ways to outlive an agent; see `leave-behind.mjs`. */
const shapes = [
  "child",
  "nohup",
  "ignore-term",
  "setsid",
  "double-fork-holds-stdout",
  "env-i-setsid",
  "env-i-double-fork",
  "respawner",
  "stopped",
];

const leaver = join(import.meta.dirname, "../fakes/leave-behind.mjs");
const projects: Practice[] = [];
const runs: ChildProcess[] = [];
/** Ends the leftovers of a failed test: they would go on and fail the next ones. */
afterEach(async () => {
  for (const run of runs.splice(0)) run.kill("SIGKILL");
  await endFakes();
});
afterAll(() => {
  for (const made of projects) made.remove();
});

/** A project whose agents run at `level`; undefined where the system has none such. */
async function projectAt(level: string): Promise<Practice | undefined> {
  const made = practice({ "src/base.txt": "x" });
  projects.push(made);
  const sandbox = level === "pid-namespace" ? "auto" : "off";
  await made.useWorker({}, `verify: ["true"]\nsandbox: ${sandbox}\nlimits: { maxAttempts: 1 }\n`);
  await made.addTasks([{ id: "t-0", title: "first" }]);
  const exists = level !== "pid-namespace" || (await namespacePrefix()) !== undefined;
  return exists ? made : undefined;
}

interface Round {
  readonly made: Practice;
  readonly id: string;
  readonly tokens: Readonly<Record<string, string>>;
}

/** A task whose agent leaves one process of every shape, and then does `then`. */
async function prepare(made: Practice, then: "ends" | "stays"): Promise<Round> {
  const id = `t-${newToken()}`;
  const tokens = Object.fromEntries(shapes.map((shape) => [shape, newToken()]));
  const leave = shapes.map((shape) => [process.execPath, leaver, shape, tokens[shape], "at-once"]);
  const step = { loud: true, write: { "src/{id}.txt": "x" } };
  const script = {
    [id]: [{ ...step, run: then === "ends" ? leave : [...leave, ["sleep", "90"]] }],
    "*": [{ write: { "src/{id}.txt": "x" } }],
  };
  made.setScript(script);
  await made.addTasks([{ id, title: "leave some" }]);
  return { made, id, tokens };
}

function start({ made, id }: Round, ...args: string[]): ChildProcess & { readonly ended: Promise<unknown> } {
  const child = spawn(process.execPath, [...ralphStart, "run", id, ...args], {
    cwd: made.dir,
    env: made.env,
    stdio: "ignore",
  });
  runs.push(child);
  return Object.assign(child, { ended: new Promise((done) => child.once("exit", done)) });
}

function left({ tokens }: Round): Record<string, number> {
  return Object.fromEntries(shapes.map((shape) => [shape, running(tokens[shape] ?? "")]));
}

const none = Object.fromEntries(shapes.map((shape) => [shape, 0]));

const appearMs = 150_000;

async function allLeft(round: Round): Promise<void> {
  // The chain's last link is between two lives at times.
  const there = new Set<string>();
  const isMissing = (shape: string): boolean => !there.has(shape);
  const begun = performance.now();
  for (let ms = 0; ms < appearMs && shapes.some(isMissing); ms = performance.now() - begun) {
    for (const [shape, many] of Object.entries(left(round))) if (many > 0) there.add(shape);
    await sleep(25);
  }
  expect([...there].toSorted()).toEqual(shapes.toSorted());
}

/** A chain that lives on shows itself within this time. */
const reappearMs = 200;

/** The shapes that lived on, once each; they are ended then, so that the next round finds none of theirs. */
async function survivors(round: Round, withinMs = 0): Promise<readonly string[]> {
  const end = performance.now() + withinMs;
  while (performance.now() < end && JSON.stringify(left(round)) !== JSON.stringify(none)) await sleep(20);
  const first = left(round);
  await sleep(reappearMs);
  const then = left(round);
  const found = shapes.filter((shape) => (first[shape] ?? 0) + (then[shape] ?? 0) > 0);
  if (found.length > 0) await endFakes(Object.values(round.tokens));
  return found;
}

const levels = existsSync("/proc/self/environ") ? ["pid-namespace", "process-group"] : [];

// Without a second try, which would hide a process that lived on.
describe.each(levels)("LOOP-10: at level %s nothing that an agent started", { retry: 0 }, (level) => {
  let made: Practice | undefined;
  /** As often as asked, leaves one process of every shape, calls `endRun` to end it, and counts what lives on. */
  const count = async (
    then: "ends" | "stays",
    endRun: (round: Round) => Promise<void>,
    { skip, task }: TestContext,
    withinMs = 0,
  ): Promise<void> => {
    made ??= await projectAt(level);
    if (!made) return skip();
    const found: string[] = [];
    for (let n = 0; n < rounds; n++) {
      const round = await prepare(made, then);
      await endRun(round);
      found.push(...(await survivors(round, withinMs)));
    }
    if (whole) process.stdout.write(`${level}, ${task.name}: ${found.length} of ${rounds * shapes.length}\n`);
    expect(found).toEqual([]);
  };

  test(`outlives an agent that ends by itself (${rounds})`, async (context) => {
    await count("ends", async (round) => expect(await start(round).ended).toBe(0), context);
  }, 600_000);

  test.skipIf(!whole)(
    `outlives an agent that is stopped at its time limit (${rounds})`,
    async (context) => {
      const endRun = async (round: Round): Promise<void> => {
        const run = start(round, "--task-timeout", "4s");
        await allLeft(round);
        expect(await run.ended).toBe(4);
      };
      await count("stays", endRun, context);
    },
    600_000,
  );

  test.skipIf(!whole)(
    `outlives a second Ctrl-C (${rounds})`,
    async (context) => {
      const endRun = async (round: Round): Promise<void> => {
        const run = start(round);
        await allLeft(round);
        run.kill("SIGINT");
        await sleep(50);
        run.kill("SIGINT");
        await run.ended;
      };
      await count("stays", endRun, context);
    },
    600_000,
  );

  const when =
    level === "pid-namespace"
      ? "ralph itself, killed outright"
      : "the next start, after ralph was killed outright";
  test(`outlives ${when} (${rounds})`, async (context) => {
    const ids: string[] = [];
    const endRun = async (round: Round): Promise<void> => {
      const run = start(round);
      await allLeft(round);
      run.kill("SIGKILL");
      await run.ended;
      ids.push(round.id);
      // The next start is about another task.
      if (level === "process-group") await round.made.ralph("run", "t-0");
    };
    await count("stays", endRun, context, level === "pid-namespace" ? 5000 : 0);
    // The killed ones' tasks are done by a next agent that leaves nothing.
    made?.setScript({ "*": [{ write: { "src/{id}.txt": "y" } }] });
    expect((await made?.run(...ids))?.code).toBe(0);
  }, 600_000);
});
