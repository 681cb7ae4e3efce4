import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { type Practice, practice, ralphBin } from "../e2e/practice.ts";
import { newToken, running } from "../fakes/fake.ts";

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
afterAll(() => {
  for (const made of projects) made.remove();
});

/** A project whose agents run at `level`; undefined where the system has none such. */
async function projectAt(level: string): Promise<Practice | undefined> {
  const made = practice({ "src/base.txt": "x" });
  projects.push(made);
  const sandbox = level === "pid-namespace" ? "auto" : "off";
  await made.useWorker({}, `verify: ["true"]\nsandbox: ${sandbox}\nlimits: { maxAttempts: 1 }\n`);
  await made.ralph("task", "add", "first", "--id", "t-0");
  const checks = (await made.json("doctor")) as { check: string; detail: string }[];
  return checks.find(({ check }) => check === "isolation")?.detail.startsWith(`${level}:`) ? made : undefined;
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
  made.write("../script.json", JSON.stringify(script));
  const added = await made.ralph("task", "add", "leave some", "--id", id);
  if (added.code !== 0) throw new Error(added.stderr);
  return { made, id, tokens };
}

function start({ made, id }: Round, ...args: string[]): ChildProcess & { readonly ended: Promise<unknown> } {
  const child = spawn(process.execPath, [ralphBin, "run", id, ...args], {
    cwd: made.dir,
    env: made.env,
    stdio: "ignore",
  });
  return Object.assign(child, { ended: new Promise((done) => child.once("exit", done)) });
}

function left({ tokens }: Round): Record<string, number> {
  return Object.fromEntries(shapes.map((shape) => [shape, running(tokens[shape] ?? "")]));
}

const none = Object.fromEntries(shapes.map((shape) => [shape, 0]));

async function allLeft(round: Round): Promise<void> {
  // The chain's last link is between two lives at times.
  const there = new Set<string>();
  for (let n = 0; n < 2400 && there.size < shapes.length; n++) {
    for (const [shape, many] of Object.entries(left(round))) if (many > 0) there.add(shape);
    await sleep(25);
  }
  expect([...there].toSorted()).toEqual(shapes.toSorted());
}

/** A chain that lives on shows itself within this time. */
const reappearMs = 200;

async function expectNone(round: Round, withinMs = 0): Promise<void> {
  const end = performance.now() + withinMs;
  while (performance.now() < end && JSON.stringify(left(round)) !== JSON.stringify(none)) await sleep(20);
  expect(left(round)).toEqual(none);
  await sleep(reappearMs);
  expect(left(round)).toEqual(none);
}

const levels = existsSync("/proc/self/environ") ? ["pid-namespace", "process-group"] : [];

describe.each(levels)("LOOP-10: at level %s nothing that an agent started", (level) => {
  let made: Practice | undefined;
  const round = async (then: "ends" | "stays"): Promise<Round | undefined> => {
    made ??= await projectAt(level);
    return made && prepare(made, then);
  };

  test(`outlives an agent that ends by itself (${rounds})`, async ({ skip }) => {
    for (let n = 0; n < rounds; n++) {
      const one = (await round("ends")) ?? skip();
      expect(await start(one).ended).toBe(0);
      await expectNone(one);
    }
  }, 3_600_000);

  test.skipIf(!whole)(
    `outlives an agent that is stopped at its time limit (${rounds})`,
    async ({ skip }) => {
      for (let n = 0; n < rounds; n++) {
        const one = (await round("stays")) ?? skip();
        const run = start(one, "--task-timeout", "4s");
        await allLeft(one);
        expect(await run.ended).toBe(4);
        await expectNone(one);
      }
    },
    3_600_000,
  );

  test.skipIf(!whole)(
    `outlives a second Ctrl-C (${rounds})`,
    async ({ skip }) => {
      for (let n = 0; n < rounds; n++) {
        const one = (await round("stays")) ?? skip();
        const run = start(one);
        await allLeft(one);
        run.kill("SIGINT");
        await sleep(50);
        run.kill("SIGINT");
        await run.ended;
        await expectNone(one);
      }
    },
    3_600_000,
  );

  const when =
    level === "pid-namespace"
      ? "ralph itself, killed outright"
      : "the next start, after ralph was killed outright";
  test(`outlives ${when} (${rounds})`, async ({ skip }) => {
    for (let n = 0; n < rounds; n++) {
      const one = (await round("stays")) ?? skip();
      const run = start(one);
      await allLeft(one);
      run.kill("SIGKILL");
      await run.ended;
      if (level === "process-group") await one.made.ralph("run", "t-0");
      await expectNone(one, level === "process-group" ? 0 : 5000);
      // The killed one's task is done by a next agent that leaves nothing.
      one.made.write("../script.json", JSON.stringify({ "*": [{ write: { "src/{id}.txt": "y" } }] }));
      expect((await one.made.run(one.id)).code).toBe(0);
    }
  }, 3_600_000);
});
