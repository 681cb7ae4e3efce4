// npm run bench:beside -- FOLDER [--rounds N] [--starts N] [--tasks N] [--agent-ms N] [--modules N] [--verify COMMAND] [--json]:
// this version in turn with another build of ralph, whose repository with its `dist/` is FOLDER: the gap between two agents, also
// with `verifyGuard` strict and clean, and the time of whole commands. docs/benchmarks.md describes the rows.
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeProject, runBuild, type Setup } from "./beside/project.ts";
import { agentTimes } from "./overhead/shell-loop.ts";
import { spread } from "./overhead/spread.ts";

// --short: does it run at all; its figures are worth nothing.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: "boolean" },
    json: { type: "boolean" },
    rounds: { type: "string" },
    starts: { type: "string" },
    tasks: { type: "string" },
    "agent-ms": { type: "string" },
    modules: { type: "string" },
    verify: { type: "string" },
  },
});
const { short = false, json = false } = values;
const [folder] = positionals;
if (folder === undefined) throw new Error("usage: npm run bench:beside -- FOLDER (a repository of ralph)");
const rounds = Number(values.rounds ?? (short ? 1 : 9));
const starts = Number(values.starts ?? (short ? 1 : 40));
const setup: Setup = {
  tasks: Number(values.tasks ?? (short ? 2 : 25)),
  agentMs: Number(values["agent-ms"] ?? (short ? 0 : 100)),
  modules: Number(values.modules ?? 0),
  verify: values.verify ?? "true",
};
const other = resolve(folder);
const own = resolve(import.meta.dirname, "..");

const all = [
  { name: "before", build: other, config: "" },
  { name: "this version", build: own, config: "" },
  { name: "`verifyGuard: strict`", build: own, config: "verifyGuard: strict\n" },
  { name: "`verifyGuard: clean`", build: own, config: "verifyGuard: clean\n" },
];
const runs = short ? all.slice(0, 2) : all;
type Run = (typeof runs)[number];

const commands = short
  ? [["status"]]
  : [["--version"], ["status"], ["task", "list"], ["memory", "find", "timeout"]];

/** One run's gaps between two agents, in milliseconds. */
function measureGaps({ build, config }: Run): { readonly median: number; readonly max: number } {
  const temporary = mkdtempSync(join(tmpdir(), "ralph-beside-"));
  const timesFile = join(temporary, "times");
  const project = makeProject(build, setup, config, timesFile);
  try {
    runBuild(build, project, ["run", "--json"]);
    return spread(agentTimes(timesFile).gaps);
  } finally {
    project.remove();
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Each second round begins with the last: the machine's pace changes within minutes. */
function inTurn<T>(times: number, compared: readonly T[], measure: (one: T, at: number) => void): void {
  const numbered = compared.map((one, at) => ({ one, at }));
  for (let round = 0; round < times; round++) {
    for (const { one, at } of round % 2 === 0 ? numbered : numbered.toReversed()) measure(one, at);
  }
}

interface Row {
  readonly name: string;
  readonly before: number;
  readonly now: number;
  /** The median of each round's ratio. */
  readonly byRound: number;
  readonly longest: number;
}

function compareGaps(): readonly Row[] {
  const gaps = runs.map(() => [] as { readonly median: number; readonly max: number }[]);
  inTurn(rounds, runs, (run, at) => gaps[at]?.push(measureGaps(run)));
  const of = (at: number, field: "median" | "max"): readonly number[] =>
    (gaps[at] ?? []).map((one) => one[field]);
  return runs.slice(1).map(({ name }, index) => ({
    name,
    ...compare(of(0, "median"), of(index + 1, "median")),
    longest: spread(of(index + 1, "max")).median,
  }));
}

function compareStarts(): readonly Row[] {
  const builds = [other, own].map((build) => ({
    build,
    project: makeProject(build, { ...setup, tasks: 3, modules: 0 }, "", ""),
  }));
  try {
    return commands.map((args) => {
      const times = builds.map(() => [] as number[]);
      inTurn(starts, builds, ({ build, project }, at) => {
        const started = performance.now();
        runBuild(build, project, args);
        times[at]?.push(performance.now() - started);
      });
      const [before = [], now = []] = times;
      return { name: `\`ralph ${args.join(" ")}\``, ...compare(before, now), longest: spread(now).max };
    });
  } finally {
    for (const { project } of builds) project.remove();
  }
}

function compare(before: readonly number[], now: readonly number[]): Omit<Row, "name" | "longest"> {
  const ratios = now.map((value, at) => value / (before[at] ?? Number.NaN));
  return { before: spread(before).median, now: spread(now).median, byRound: spread(ratios).median };
}

function print(rows: readonly Row[]): void {
  const cells = rows.map(({ name, before, now, byRound, longest }) =>
    [
      name,
      `${before.toFixed(1)} ms`,
      `${now.toFixed(1)} ms`,
      (now / before).toFixed(2),
      byRound.toFixed(2),
      `${longest.toFixed(0)} ms`,
    ].join(" | "),
  );
  const lines = [
    "| measured | before | now | ratio of medians | median of each round's ratio | longest |",
    "|---|---|---|---|---|---|",
    ...cells.map((line) => `| ${line} |`),
    "",
    `load ${(loadavg()[0] ?? 0).toFixed(1)}, Node ${process.versions.node}`,
  ];
  console.log(lines.join("\n"));
}

const gaps = compareGaps().map((row) => ({ ...row, name: `gap, ${row.name}` }));
const rows = [...gaps, ...compareStarts()];
if (json) console.log(JSON.stringify({ rows, load: loadavg()[0] }));
else print(rows);
