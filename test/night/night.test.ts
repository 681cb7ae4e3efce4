import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyOf, type Practice, practice, type RunEvent, ralphStart } from "../e2e/practice.ts";
import { newToken } from "../fakes/fake.ts";
import { longNight, type Night, shortNight } from "./night.ts";

// The whole form: RALPH_TEST_NIGHT=whole npx vitest run test/night (npm run test:night).
const whole = process.env["RALPH_TEST_NIGHT"] === "whole";
const night = whole ? longNight : shortNight;

const projects: Practice[] = [];
afterAll(() => {
  for (const project of projects) project.remove();
});

/** A project whose agent brings the night's troubles; its processes bear the token. */
interface Nightfall {
  readonly project: Practice;
  readonly token: string;
}

const check = `for file in src/*; do
  grep -Eq "broken|half" "$file" || continue
  echo "$file(1,1): error TS2304: Cannot find name '$(cat "$file")'." >&2
  exit 1
done
`;

let evening: Practice;
beforeAll(async () => {
  evening = practice({
    "check.sh": check,
    "package.json": '{ "scripts": { "test": "sh check.sh" } }\n',
    "src/base.txt": "ok\n",
    "tasks.yaml": tasksFile(night),
  });
  const agent = ["sh", resolve("test/fakes/night-agent.sh"), "../night"];
  evening.write(
    ".ralph/config.yaml",
    `agent: command
agents:
  command: { argv: ${JSON.stringify(agent)}, format: claude-stream-json, tiers: [small, large] }
verify: ["sh check.sh"]
verifyGuard: strict
limits: { maxAttempts: 3, idleTimeout: ${night.idleMs}ms, taskTimeout: ${night.taskMs}ms }
`,
  );
  evening.git("add", "-A");
  evening.git("commit", "-q", "-m", "evening");
  const { code, stderr } = await evening.ralph("task", "import", "tasks.yaml");
  if (code !== 0) throw new Error(stderr);
  const troubles = Object.entries(night.troubles).flatMap(([id, all]) =>
    all.map((trouble, index) => `${id} ${index + 1} ${trouble}\n`),
  );
  evening.write("../night/troubles", troubles.join(""));
});
afterAll(() => evening.remove());

async function nightfall(): Promise<Nightfall> {
  const token = newToken();
  const project = copyOf(evening);
  projects.push(project);
  const { resetMs, costUsd } = night;
  project.write("../night/settings", `reset_s=${resetMs / 1000} cost=${costUsd} token=${token}\n`);
  await project.approveConfig();
  return { project, token };
}

function tasksFile({ ids, waits }: Night): string {
  const entry = (id: string): string => {
    const on = waits[id];
    return `  - id: ${id}\n    title: "piece ${id}"\n${on ? `    depends_on: [${on}]\n` : ""}`;
  };
  return `tasks:\n${ids.map(entry).join("")}`;
}

/** Processes of the night that still run. */
function survivors({ project, token }: Nightfall): readonly string[] {
  const named = (pid: string, file: string): boolean => {
    try {
      const text = readFileSync(`/proc/${pid}/${file}`, "utf8");
      return text.includes(token) || text.includes(`TMPDIR=${project.dir}/.ralph`);
    } catch {
      return false;
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => named(pid, "cmdline") || named(pid, "environ"));
}

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
}

/** The state that every such night ends in, however often ralph was killed in it. */
async function expectMorning(
  nightRun: Nightfall,
  events: readonly RunEvent[],
  code: number | null,
): Promise<void> {
  const { project } = nightRun;
  const { done, parked, waiting } = night.expected;
  expect(code).toBe(4);
  const end = events.at(-1);
  const tasks = { done, failed: 0, blocked: parked.length, pending: waiting.length };
  expect(end).toMatchObject({ type: "run.finished", reason: "stuck", exitCode: 4, tasks });
  const waits = (end?.["waiting"] ?? []) as readonly { id: string; waitsFor: readonly string[] }[];
  expect(Object.fromEntries(waits.map(({ id, waitsFor }) => [id, waitsFor]))).toEqual(
    Object.fromEntries(waiting.map((id) => [id, [night.waits[id]]])),
  );
  const list = (await project.json("task", "list")) as readonly Listed[];
  const statusOf = Object.fromEntries(list.map(({ id, status }) => [id, status]));
  for (const id of night.ids) {
    const status = parked.includes(id) ? "blocked" : waiting.includes(id) ? "pending" : "done";
    expect(`${id} ${statusOf[id]}`).toBe(`${id} ${status}`);
  }
  const needs = (end?.["needs"] ?? []) as readonly { id: string; reason: string }[];
  const reasons = new Map(needs.map(({ id, reason }) => [id, reason]));
  for (const id of parked) {
    expect(reasons.get(id)).toContain("3 attempts");
    expect(reasons.get(id)).toContain(`src/${id}.txt(1,1): error TS2304`);
  }
  const trailers = project.git("log", "--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)");
  const finished = night.ids.filter((id) => statusOf[id] === "done");
  expect(trailers.split("\n").filter(Boolean).sort()).toEqual(finished);
  for (const id of finished) expect(project.git("show", `HEAD:src/${id}.txt`)).toBe(`work on ${id}`);
  expect(project.git("show", "HEAD:check.sh")).toBe(check.trimEnd());
  expect(project.git("show", "HEAD:package.json")).toContain("sh check.sh");
  for (const id of parked) expect(project.git("ls-tree", "HEAD", `src/${id}.txt`)).toBe("");
  expect(survivors(nightRun)).toEqual([]);
}

test("LOOP-8 LOOP-10 LOOP-17 STRAT-4: a night ends by itself, and its summary shows every number of it", async () => {
  const nightRun = await nightfall();
  const { project } = nightRun;
  const { code, events, stderr } = await project.run();
  expect(stderr).toBe("");
  await expectMorning(nightRun, events, code);
  const { expected } = night;
  const counts = (type: string, kind: string) =>
    events.filter((event) => event.type === type && event["kind"] === kind).length;
  expect(counts("iteration.interrupted", "rate_limit")).toBe(expected.limits);
  expect(counts("iteration.interrupted", "network")).toBe(expected.networks);
  expect(events.filter(({ type }) => type === "iteration.finished").length).toBe(expected.attempts);
  const end = events.at(-1);
  const iterations = expected.attempts + expected.limits + expected.networks;
  expect(end).toMatchObject({ iterations, costUsd: expected.paid * night.costUsd });
  const list = (await project.json("task", "list")) as readonly Listed[];
  expect(list.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(expected.attempts);
  expectReport(end?.["report"] as Report);
  const runId = events.find(({ type }) => type === "run.started")?.["runId"];
  const { stdout } = await project.ralph("log", String(runId));
  expect(stdout).toContain(`${expected.attempts} attempts: ${expected.done} done`);
}, 400_000);

interface Report {
  readonly attempts: number;
  readonly done: number;
  readonly byModel: readonly {
    readonly attempts: number;
    readonly done: number;
    readonly costUsd: number | null;
    readonly unpriced: number;
  }[];
  readonly tasks: readonly { readonly done: boolean; readonly attempts: number }[];
  readonly interruptions: readonly {
    readonly kind: string;
    readonly times: number;
    readonly waitedMs: number;
  }[];
  readonly commits: readonly { readonly taskId: string }[];
  readonly memory: { readonly captured: readonly { readonly what: string; readonly count: number }[] };
}

/** Every number of the summary that a person reads in the morning. */
function expectReport(report: Report): void {
  const { done, parked, attempts, paid, limits, networks } = night.expected;
  expect(report).toMatchObject({ attempts, done });
  const sum = (pick: (row: Report["byModel"][number]) => number) =>
    report.byModel.reduce((total, row) => total + pick(row), 0);
  expect(sum((row) => row.attempts)).toBe(attempts);
  expect(sum((row) => row.done)).toBe(done);
  expect(sum((row) => row.costUsd ?? 0)).toBe(paid * night.costUsd);
  expect(sum((row) => row.unpriced)).toBe(attempts - paid);
  expect(report.tasks.filter((task) => task.done).length).toBe(done);
  expect(report.tasks.length).toBe(done + parked.length);
  const burned = Object.fromEntries(report.interruptions.map(({ kind, times }) => [kind, times]));
  expect(burned).toEqual({
    ...(limits > 0 ? { rate_limit: limits } : {}),
    ...(networks > 0 ? { network: networks } : {}),
  });
  const waited = report.interruptions.find(({ kind }) => kind === "rate_limit")?.waitedMs ?? 0;
  expect(waited).toBeGreaterThanOrEqual(limits * (night.resetMs - 1000));
  const finished = night.ids.filter((id) => !parked.includes(id) && !night.expected.waiting.includes(id));
  // Where the agent committed its work itself, ralph's commit holds the tick.
  const own = finished.filter((id) => night.troubles[id]?.includes("commits"));
  expect(report.commits.map(({ taskId }) => taskId).sort()).toEqual([...finished, ...own].sort());
  const reports = report.memory.captured.find(({ what }) => what === "failure report")?.count;
  expect(reports).toBe(attempts - done);
}

/** Runs ralph and kills it after `ms`; true when it was still running. */
async function runAndKill(project: Practice, ms: number): Promise<boolean> {
  const child = spawn(process.execPath, [...ralphStart, "run"], {
    cwd: project.dir,
    env: project.env,
    stdio: "ignore",
  });
  const ended = new Promise<void>((resolveEnd) => child.once("exit", () => resolveEnd()));
  await Promise.race([sleep(ms), ended]);
  const running = child.exitCode === null && child.signalCode === null;
  if (running) child.kill("SIGKILL");
  await ended;
  return running;
}

test.each(whole ? [1, 2, 3] : [])(
  "LOOP-11: a night in which ralph is killed at random ends the same (%i)",
  async () => {
    const nightRun = await nightfall();
    const { project } = nightRun;
    let killed = 0;
    while (killed < 12 && (await runAndKill(project, 500 + Math.random() * 8000))) killed++;
    expect(killed).toBeGreaterThan(0);
    const { code, events } = await project.run();
    await expectMorning(nightRun, events, code);
  },
  600_000,
);
