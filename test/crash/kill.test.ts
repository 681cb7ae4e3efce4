import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { jsonLines, type Practice, practice, ralphStart } from "../e2e/practice.ts";

// The whole form: RALPH_TEST_KILLS=30 npx vitest run test/crash (npm run test:crash).
const kills = Number(process.env["RALPH_TEST_KILLS"] ?? 3);
const whole = process.env["RALPH_TEST_KILLS"] !== undefined;
const taskCount = whole ? 12 : 8;

let project: Practice;
afterEach(() => project?.remove());

const check = `file=$(grep -rl BROKEN src) || exit 0
echo "$file(1,1): error TS1005: ';' expected." >&2
exit 1
`;

async function withTaskCount(): Promise<Practice> {
  const made = practice({ "check.sh": check, "src/base.txt": "ok\n" });
  const script: Record<string, unknown> = {
    "*": [{ sleepMs: 20, write: { "src/{id}.txt": "work on {id}\n" } }],
  };
  // Every fourth task fails first, every sixth commits its own work.
  for (let n = 4; n <= taskCount; n += 4) {
    script[`t-${n}`] = [
      { sleepMs: 20, write: { "src/{id}.txt": "BROKEN" } },
      { write: { "src/{id}.txt": "mended" } },
    ];
  }
  for (let n = 6; n <= taskCount; n += 12) {
    script[`t-${n}`] = [{ write: { "src/{id}.txt": "own" }, commit: "{id}: own commit\n\nRalph-Task: {id}" }];
  }
  await made.useWorker(script, 'verify: ["sh check.sh"]\n');
  await made.addTasks(Array.from({ length: taskCount }, (_, n) => `task ${n + 1}`));
  return made;
}

/** Runs ralph and kills it, and nothing else, after `ms`, or once `when` holds; true when it was still running. */
async function runAndKill(made: Practice, ms: number, when?: () => boolean): Promise<boolean> {
  const child = spawn(process.execPath, [...ralphStart, "run"], {
    cwd: made.dir,
    env: made.env,
    stdio: "ignore",
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  if (when) while (child.exitCode === null && !when()) await sleep(5);
  else await Promise.race([sleep(ms), ended]);
  const running = child.exitCode === null && child.signalCode === null;
  if (running) child.kill("SIGKILL");
  await ended;
  return running;
}

/** Processes that still work for this project: their working folder or command line names it. */
function survivors(made: Practice): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`TMPDIR=${made.dir}/.ralph`);
      } catch {
        return false;
      }
    });
}

async function expectAllDoneOnce(made: Practice): Promise<void> {
  const list = (await made.json("task", "list")) as { id: string; status: string }[];
  expect(list.filter(({ status }) => status === "done").length).toBe(taskCount);
  const trailers = made
    .git("log", "--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)")
    .split("\n")
    .filter(Boolean);
  expect([...trailers].sort()).toEqual(list.map(({ id }) => id).sort());
  expect(made.git("status", "--porcelain")).toBe("");
  expect(survivors(made)).toEqual([]);
  const tmp = `${made.dir}/.ralph/tmp`;
  expect(existsSync(tmp) ? readdirSync(tmp) : []).toEqual([]);
  const events = jsonLines(made.read(".ralph/events.jsonl"));
  const done = new Set(events.filter(({ type }) => type === "task.done").map(({ seq }) => seq));
  expect(done.size).toBe(taskCount);
}

test("LOOP-11 LOOP-1: killed outright at random moments, again and again, ralph finishes every task once", async () => {
  project = await withTaskCount();
  // First with a lock as a git that was killed along leaves it: no person has to remove it.
  const begun = (): boolean => existsSync(`${project.dir}/src/t-1.txt`);
  expect(await runAndKill(project, 0, begun)).toBe(true);
  for (const name of ["index.lock", "HEAD.lock", "refs/heads/main.lock"]) project.write(`.git/${name}`, "");
  const { events } = await project.run("--once");
  expect(events.find(({ type }) => type === "run.recovered")).toMatchObject({ locks: 3 });
  let killed = 1;
  for (let n = 1; n < kills; n++) {
    if (await runAndKill(project, 100 + Math.random() * 700)) killed++;
  }
  expect(killed).toBeGreaterThan(1);
  const last = await project.run();
  expect(last.stderr).toBe("");
  expect(last.code, JSON.stringify(last.events.at(-1))).toBe(0);
  await expectAllDoneOnce(project);
}, 600_000);

test.each(Array.from({ length: whole ? Math.ceil(kills / 4) : 0 }, (_, n) => n))(
  "LOOP-11: one kill at a random moment of a whole run (%i)",
  async () => {
    project = await withTaskCount();
    await runAndKill(project, 100 + Math.random() * 2000);
    const { code } = await project.run();
    expect(code).toBe(0);
    await expectAllDoneOnce(project);
  },
  300_000,
);
