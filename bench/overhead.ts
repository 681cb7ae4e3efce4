// npm run bench:overhead [-- --json] [--learnings N,N] [--agent-ms N]: ralph's own time per iteration with 0, 10,000 and
// 100,000 learnings in the store, beside a shell loop of the same work (agent, verification, git add, git commit), and the
// start-up time of `ralph status` beside an empty Node script; and an iteration's SQL statements and events. docs/benchmarks.md describes the rows.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { practice, type RunEvent, ralphBin } from "../test/e2e/practice.ts";
import { fillLearnings } from "./fill-learnings.ts";
import { countWork } from "./overhead/count-work.ts";
import { agentTimes, runShellLoop, timeBare, useAgent } from "./overhead/shell-loop.ts";
import { type Spread, spread } from "./overhead/spread.ts";
import { createTexts } from "./retrieval/texts.ts";

// --short: does it run at all; its figures are worth nothing.
const { values } = parseArgs({
  options: {
    short: { type: "boolean" },
    json: { type: "boolean" },
    learnings: { type: "string" },
    "agent-ms": { type: "string" },
  },
});
const { short = false, json = false } = values;
const sizes = (values.learnings ?? (short ? "0,50" : "0,10000,100000")).split(",").map(Number);
const tasks = short ? 2 : 30;
const files = short ? 5 : 200;
const statusRounds = short ? 1 : 31;
const bareRounds = short ? 1 : 15;
/** How long each agent sleeps (ms). From 1000 on, maintenance runs beside every tenth agent. */
const agentMs = Number(values["agent-ms"] ?? 0);

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

/** ralph's figure and the shell loop's, in milliseconds. */
interface Compared {
  readonly ralph: Spread;
  readonly shell: Spread;
}

interface Overhead {
  readonly learnings: number;
  readonly byOwnClock: Spread;
  /** An iteration without what its agent and verification take when a plain script starts them. */
  readonly againstBare: Compared;
  /** From the end of one agent to the start of the next. */
  readonly gap: Compared;
  /** CPU milliseconds of ralph's own process by iteration, the run's start and end included: other programs hardly move it. */
  readonly cpuMs: number;
  /** Learnings in each prompt, on average: without any there would be little to measure. */
  readonly told: number;
}

async function measureIterations(learnings: number): Promise<Overhead> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-overhead-"));
  const [cpuFile, timesFile] = [join(folder, "cpu"), join(folder, "times")];
  const preload = `--require ${join(import.meta.dirname, "overhead/report-cpu.cjs")}`;
  const project = practice({ "src/base.txt": "x" }, { NODE_OPTIONS: preload, BENCH_CPU_FILE: cpuFile });
  try {
    for (let n = 0; n < files; n++) project.write(`files/f${n}.txt`, `file ${n}\n`);
    await project.useWorker({}, 'verify: ["true"]\n');
    useAgent(project, timesFile, agentMs);
    const texts = createTexts(learnings);
    const list = Array.from({ length: tasks }, () => `- [ ] ${texts.learning()}`).join("\n");
    project.write("tasks.md", `# Tasks\n\n${list}\n`);
    project.git("add", "-A");
    project.git("commit", "-q", "-m", "tasks");
    const shellLoop = { project, tasks, timesFile };
    const before = runShellLoop({ ...shellLoop, name: "before" });
    await project.ralph("task", "import", "tasks.md");
    await fillLearnings(project.dir, learnings, texts);
    // What was just filled is on the disk before the clock runs: each of ralph's syncs would wait for it.
    if (!short) spawnSync("sync");
    const bareBefore = timeBare(project, bareRounds);
    rmSync(timesFile, { force: true });
    const { events, code } = await project.run();
    if (code !== 0) throw new Error(`ralph run ended with ${code}`);
    const agents = agentTimes(timesFile);
    const bare = (bareBefore + timeBare(project, bareRounds)) / 2;
    const shell = [before, runShellLoop({ ...shellLoop, name: "after" })];
    const times = iterationTimes(events);
    const told = events.filter(({ type }) => type === "iteration.started");
    return {
      learnings,
      cpuMs: Number(readFileSync(cpuFile, "utf8")) / tasks,
      told: told.reduce((sum, { memory }) => sum + toldOf(memory), 0) / told.length,
      byOwnClock: spread(times.map(({ wall, reported }) => wall - reported)),
      againstBare: {
        ralph: spread(times.map(({ wall }) => wall - bare)),
        shell: spread(shell.flatMap(({ iterations }) => iterations.map((wall) => wall - bare))),
      },
      gap: { ralph: spread(agents.gaps), shell: spread(shell.flatMap(({ gaps }) => gaps)) },
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
  /** The first time after the configuration changed, when it has to be read again. */
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

type Work = Awaited<ReturnType<typeof countWork>>;

function print(iterations: readonly Overhead[], start: StartUp, work: Work): void {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const cells = (what: string, { median, p90, max }: Spread): string =>
    `| ${what} | ${ms(median)} | ${ms(p90)} | ${ms(max)}`;
  const compared = (what: string, { ralph, shell }: Compared): string =>
    `${cells(what, ralph)} | ${ms(shell.median)} | ${ms(shell.max)} | ${(ralph.median / shell.median).toFixed(1)} |`;
  const alone = (what: string, value: number, other: number | null): string =>
    `| ${what} | ${ms(value)} | – | – | ${other === null ? "–" : ms(other)} | – | ${other === null ? "–" : (value / other).toFixed(2)} |`;
  const rows = iterations.flatMap(({ learnings, told, cpuMs, byOwnClock, againstBare, gap }) => {
    const size = `${learnings.toLocaleString("en")} learnings`;
    return [
      `${cells(`${size} (${told.toFixed(1)} in a prompt): own time, by its own clock`, byOwnClock)} | – | – | – |`,
      compared(`${size}: own time, against bare processes`, againstBare),
      compared(`${size}: gap between two agents`, gap),
      alone(`${size}: CPU of ralph's process, average`, cpuMs, null),
    ];
  });
  const lines = [
    "| measured | ralph: median | 90th percentile | maximum | shell loop: median | maximum | ratio of medians |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    alone("`ralph status`; beside it an empty Node script", start.statusMs, start.emptyMs),
    alone("`ralph status` after a change of the configuration", start.firstStatusMs, start.emptyMs),
    "",
    `an iteration in a project of three files: ${work.statements} SQL statements, ${work.events} events`,
    `load ${(loadavg()[0] ?? 0).toFixed(1)}, Node ${process.versions.node}`,
  ];
  console.log(lines.join("\n"));
}

const iterations: Overhead[] = [];
for (const size of sizes) iterations.push(await measureIterations(size));
const start = await measureStartUp();
const work = await countWork();
if (json) console.log(JSON.stringify({ iterations, status: start, work, load: loadavg()[0] }));
else print(iterations, start, work);
