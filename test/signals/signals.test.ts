import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { checkStore } from "../../src/cli/commands/doctor/store-checks.ts";
import type { Practice } from "../e2e/practice.ts";
import { scaledLimit } from "../scaled-limit.ts";
import { noGit, phases, removeStage, type Staged, stage } from "./phases.ts";

// The whole form: RALPH_TEST_SIGNALS=3 npx vitest run test/signals (npm run test:signals).
const rounds = Number(process.env["RALPH_TEST_SIGNALS"] ?? 0);

/** The event: a signal, how often, or a reader that leaves. */
const ways = ["SIGINT", "SIGINT twice", "SIGTERM", "SIGHUP", "closed stdout"] as const;
type Way = (typeof ways)[number];

/** The default suite meets each way once, SIGTERM with a large list; a second Ctrl-C where something does not end by itself. */
const few: readonly string[] = [
  "SIGINT agent working",
  "SIGINT twice committing",
  "SIGHUP paused",
  "closed stdout agent working",
];
const all = Object.keys(phases).flatMap((phase) => ways.map((way) => ({ way, phase })));
const cases = rounds > 0 ? all : all.filter(({ way, phase }) => few.includes(`${way} ${phase}`));

/** Milliseconds from each second Ctrl-C to the end. */
const afterSecond: number[] = [];
afterAll(async () => {
  await removeStage();
  if (rounds > 0)
    process.stdout.write(
      `second Ctrl-C: ${afterSecond.length} times, at most ${Math.max(...afterSecond)} ms\n`,
    );
});

/** Sends what comes and waits for the end; a second Ctrl-C has 2 s. */
async function meet(staged: Staged, way: Way): Promise<{ code: number | null; signal: string | null }> {
  const { run, made } = staged;
  if (way === "closed stdout") {
    run.stdout?.destroy();
    staged.release();
    await sleep(300);
    await made.ralph("resume");
    return staged.ended;
  }
  const signal = way === "SIGINT twice" ? "SIGINT" : way;
  run.kill(signal);
  await sleep(200);
  if (way === "SIGINT twice") {
    const start = performance.now();
    run.kill(signal);
    const end = await staged.ended;
    const took = Math.round(performance.now() - start);
    staged.release();
    afterSecond.push(took);
    expect(took).toBeLessThan(scaledLimit(2000));
    return end;
  }
  // A git at work is let finish: so is its hook.
  staged.release();
  return staged.ended;
}

function survivors(made: Practice): readonly string[] {
  const environ = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1");
    } catch {
      return "";
    }
  };
  const pids = existsSync("/proc/self/environ")
    ? readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    : [];
  return pids.filter((pid) => environ(pid).includes(`TMPDIR=${made.dir}/.ralph`));
}

async function expectConsistent(made: Practice): Promise<void> {
  expect(survivors(made)).toEqual([]);
  // As `ralph doctor` checks it.
  const path = join(made.dir, ".ralph/progress.db");
  const { check, db } = await checkStore({ path, backups: join(made.home, "no backups") });
  await db?.close();
  expect(check.status).toBe("ok");
  const lines = made.read(".ralph/events.jsonl").trimEnd().split("\n");
  const numbers = lines.map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(numbers).toEqual(numbers.map((_, n) => (numbers[0] ?? 0) + n));
  expect(made.read("mine.txt")).toBe("a person's own\n");
  expect(made.read("ignored.txt")).toBe("ignored, and a person's own\n");
}

async function expectWhole(made: Practice): Promise<void> {
  const { code, stderr } = await made.run();
  expect([code, stderr]).toEqual([0, ""]);
  expect(await made.json("task", "list")).toMatchObject([
    { id: "t-1", status: "done", attempts: 1 },
    { id: "t-2", status: "done", attempts: 1 },
  ]);
  const format = "--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)";
  expect(made.git("log", format).split("\n").filter(Boolean).toSorted()).toEqual(["t-1", "t-2"]);
  expect(made.git("status", "--porcelain")).toBe("?? mine.txt");
  await expectConsistent(made);
}

describe.concurrent.each(Array.from({ length: Math.max(rounds, 1) }, (_, n) => n + 1))("round %i", () => {
  test.for(cases)(
    "LOOP-10 LOOP-11 LOOP-14: $way while $phase",
    { timeout: 300_000 },
    async ({ way, phase }) => {
      const made = await stage();
      try {
        const staged = await (phases[phase] as (typeof phases)[string])(made);
        const end = await meet(staged, way);
        await noGit(made);
        const signal = way.startsWith("SIG") ? way.replace(" twice", "") : null;
        const expected = [{ code: null, signal }, ...(signal === null ? [{ code: 0, signal: null }] : [])];
        // It may have come to its end just before.
        if (phase === "finishing") expected.push({ code: 0, signal: null });
        expect(expected).toContainEqual(end);
        await expectConsistent(made);
        const tasks = (await made.json("task", "list")) as { status: string }[];
        if (way !== "SIGINT twice")
          expect(tasks.filter(({ status }) => status === "in_progress")).toEqual([]);
        await expectWhole(made);
      } finally {
        made.remove();
      }
    },
  );
});
