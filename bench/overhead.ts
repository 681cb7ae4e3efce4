// npm run bench:overhead [-- --json] [--learnings N,N]: ralph's own milliseconds per iteration with 0, 10,000 and 100,000
// learnings in the store, and how long `ralph status` takes beside an empty Node script. What an iteration takes besides its agent and its verification is told in two ways:
// - by ralph's clock: less the durations that it reports of them;
// - against bare: less what the same two programs take when a plain Node script starts them one by one. This counts
//   as ralph's own what isolating, watching and reaping them costs.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Practice, practice, type RunEvent, ralphBin } from "../test/e2e/practice.ts";
import { fillLearnings } from "./fill-learnings.ts";
import { createTexts } from "./retrieval/texts.ts";

// --short: does it run at all; its figures are worth nothing.
const { values } = parseArgs({
  options: { short: { type: "boolean" }, json: { type: "boolean" }, learnings: { type: "string" } },
});
const { short = false, json = false } = values;
const sizes = (values.learnings ?? (short ? "0,50" : "0,10000,100000")).split(",").map(Number);
const tasks = short ? 4 : 30;
const statusRounds = short ? 2 : 31;
const bareRunner = join(import.meta.dirname, "run-bare.mjs");

interface Spread {
  readonly median: number;
  readonly p90: number;
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { median: at(0.5), p90: at(0.9) };
}

type Env = Readonly<Record<string, string>>;

/** Output of a Node script; throws with its stderr when it fails. */
function runNode(args: readonly string[], cwd: string, env: Env): string {
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Wall milliseconds of one process. */
function timeOf(args: readonly string[], cwd: string, env: Env): number {
  const started = performance.now();
  runNode(args, cwd, env);
  return performance.now() - started;
}

/** Wall milliseconds of the agent and of the verification, each started by a plain script. */
function timeBare(project: Practice): number {
  const cwd = join(project.home, "bare");
  mkdirSync(cwd, { recursive: true });
  const env = { ...project.env, RALPH_TASK_ID: "bare", RALPH_ATTEMPT: "1" };
  const median = (argv: readonly string[]): number => {
    const request = { argv, cwd, env, stdin: "prompt\n".repeat(200), times: 15 };
    const output = runNode([bareRunner, JSON.stringify(request)], cwd, project.env);
    return spread(JSON.parse(output) as readonly number[]).median;
  };
  const worker = join(dirname(project.dir), "worker.sh");
  return median(["sh", worker]) + median(["/bin/sh", "-c", "true"]);
}

/** Of each iteration but the last: from its start to the next one's, and what its agent and verification took of it. */
function iterationTimes(
  events: readonly RunEvent[],
): readonly { readonly wall: number; readonly reported: number }[] {
  const of = (type: string): readonly RunEvent[] => events.filter((event) => event.type === type);
  const starts = of("iteration.started").map(({ timestamp }) => Date.parse(String(timestamp)));
  const [agents, checks] = [of("agent.finished"), of("verification.finished")].map((finished) =>
    finished.map(({ durationMs }) => Number(durationMs)),
  );
  return starts.slice(1).map((start, index) => ({
    wall: start - (starts[index] ?? start),
    reported: (agents?.[index] ?? 0) + (checks?.[index] ?? 0),
  }));
}

interface Overhead {
  readonly learnings: number;
  readonly byOwnClock: Spread;
  readonly againstBare: Spread;
  /** CPU milliseconds of ralph's own process by iteration, the run's start and end included: other programs hardly move it. */
  readonly cpuMs: number;
  /** Learnings in each prompt, on average: without any there would be little to measure. */
  readonly told: number;
}

async function measureIterations(learnings: number): Promise<Overhead> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-overhead-"));
  const cpuFile = join(folder, "cpu");
  const preload = `--require ${join(import.meta.dirname, "tell-cpu.cjs")}`;
  const project = practice({ "src/base.txt": "x" }, { NODE_OPTIONS: preload, BENCH_CPU_FILE: cpuFile });
  try {
    for (let n = 0; n < 200; n++) project.write(`files/f${n}.txt`, `file ${n}\n`);
    // As long as a program for Node takes to begin: what ralph does meanwhile costs the loop no time.
    const step = { sleepMs: 100, write: { "src/{id}.txt": "x" } };
    await project.useWorker({ "*": [step] }, 'verify: ["true"]\n');
    const texts = createTexts(learnings);
    const list = Array.from({ length: tasks }, () => `- [ ] ${texts.learning()}`).join("\n");
    project.write("tasks.md", `# Tasks\n\n${list}\n`);
    project.git("add", "-A");
    project.git("commit", "-q", "-m", "tasks");
    await project.ralph("task", "import", "tasks.md");
    await fillLearnings(project.dir, learnings, texts);
    // What was just filled is on the disk before the clock runs: each of ralph's syncs would wait for it.
    spawnSync("sync");
    const before = timeBare(project);
    const { events, code } = await project.run();
    if (code !== 0) throw new Error(`ralph run ended with ${code}`);
    const bare = (before + timeBare(project)) / 2;
    const times = iterationTimes(events);
    const told = events.filter(({ type }) => type === "iteration.started");
    return {
      learnings,
      cpuMs: Number(readFileSync(cpuFile, "utf8")) / tasks,
      told: told.reduce((sum, { memory }) => sum + toldOf(memory), 0) / told.length,
      byOwnClock: spread(times.map(({ wall, reported }) => wall - reported)),
      againstBare: spread(times.map(({ wall }) => wall - bare)),
    };
  } finally {
    project.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

function toldOf(memory: unknown): number {
  return Number((memory as Readonly<Record<string, number>>)["learnings"] ?? 0);
}

interface StartUp {
  readonly emptyMs: number;
  readonly statusMs: number;
  /** The first time after the configuration changed, when it has to be read anew. */
  readonly firstStatusMs: number;
  readonly ratio: number;
}

async function measureStartUp(): Promise<StartUp> {
  const project = practice();
  try {
    await project.useWorker({}, 'verify: ["true"]\n');
    await project.ralph("task", "add", "one");
    // The kind that Node starts the fastest.
    const empty = join(project.home, "empty.cjs");
    writeFileSync(empty, "");
    const time = (...args: readonly string[]): number => timeOf(args, project.dir, project.env);
    const rounds = Array.from({ length: statusRounds }, () => {
      rmSync(join(project.dir, ".ralph", "cache"), { recursive: true, force: true });
      return { first: time(ralphBin, "status"), empty: time(empty), status: time(ralphBin, "status") };
    });
    const of = (kind: "first" | "empty" | "status"): number => spread(rounds.map((one) => one[kind])).median;
    const [emptyMs, statusMs] = [of("empty"), of("status")];
    return { emptyMs, statusMs, firstStatusMs: of("first"), ratio: statusMs / emptyMs };
  } finally {
    project.remove();
  }
}

function print(iterations: readonly Overhead[], start: StartUp): void {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const times = (value: number): string =>
    `${value.toFixed(2)} times an empty Node script (${ms(start.emptyMs)})`;
  const row = (what: string, { median, p90 }: Spread): string =>
    `| ${what} | ${ms(median)} | ${ms(p90)} | – |`;
  const rows = iterations.flatMap(({ learnings, told, cpuMs, byOwnClock, againstBare }) => {
    const own = `ralph's own time per iteration, ${learnings.toLocaleString("en")} learnings, ${told.toFixed(1)} told`;
    return [
      row(`${own}, by its own clock`, byOwnClock),
      row(`${own}, against bare processes`, againstBare),
      `| ${own}, CPU of its process | ${ms(cpuMs)} on average | – | – |`,
    ];
  });
  const lines = [
    "| measured | median | 90th percentile | baseline |",
    "|---|---|---|---|",
    ...rows,
    `| \`ralph status\` | ${ms(start.statusMs)} | – | ${times(start.ratio)} |`,
    `| \`ralph status\` after a change of the configuration | ${ms(start.firstStatusMs)} | – | ${times(start.firstStatusMs / start.emptyMs)} |`,
    "",
    `load ${(loadavg()[0] ?? 0).toFixed(1)}, Node ${process.versions.node}`,
  ];
  console.log(lines.join("\n"));
}

const iterations: Overhead[] = [];
for (const size of sizes) iterations.push(await measureIterations(size));
const start = await measureStartUp();
if (json) console.log(JSON.stringify({ iterations, status: start, load: loadavg()[0] }));
else print(iterations, start);
