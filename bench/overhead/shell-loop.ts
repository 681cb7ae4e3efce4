import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Practice } from "../../test/e2e/practice.ts";
import { spread } from "./spread.ts";

const bareRunner = join(import.meta.dirname, "run-bare.mjs");
const agent = join(import.meta.dirname, "agent.sh");
const workerOf = (project: Practice): string => join(dirname(project.dir), "worker.sh");

/** Makes the project's worker the benchmark's agent, which sleeps for `ms` and writes its times to `timesFile`. */
export function useAgent(project: Practice, timesFile: string, ms: number): void {
  writeFileSync(workerOf(project), `exec bash '${agent}' '${timesFile}' ${ms / 1000}\n`);
}

/** Wall milliseconds of the agent and of the verification together, each started by a plain script; medians of so many rounds. */
export function timeBare(project: Practice, rounds = 15): number {
  const cwd = join(project.home, "bare");
  mkdirSync(join(cwd, "src"), { recursive: true });
  const env = { ...project.env, RALPH_TASK_ID: "bare", RALPH_ATTEMPT: "1" };
  const programs = [
    ["sh", workerOf(project)],
    ["/bin/sh", "-c", "true"],
  ];
  const request = { programs, cwd, env, stdin: "prompt\n".repeat(200), times: rounds };
  const options = { cwd, env: project.env, encoding: "utf8" } as const;
  const args = [bareRunner, JSON.stringify(request)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(stderr);
  const times = JSON.parse(stdout) as readonly (readonly number[])[];
  return times.reduce((sum, one) => sum + spread(one).median, 0);
}

/** The times of the agents of one loop, in milliseconds. */
interface LoopTimes {
  /** From the start of one agent to the start of the next. */
  readonly iterations: readonly number[];
  /** From the end of one agent to the start of the next. */
  readonly gaps: readonly number[];
}

/** Reads what the agents have written. */
export function agentTimes(timesFile: string): LoopTimes {
  const lines = readFileSync(timesFile, "utf8").trim().split("\n");
  const agents = lines.map((line) => line.split(" ").map((seconds) => 1000 * Number(seconds)));
  const later = agents.slice(1);
  const since = (which: 0 | 1): readonly number[] =>
    later.map(([start = 0], at) => start - (agents[at]?.[which] ?? start));
  return { iterations: since(0), gaps: since(1) };
}

interface ShellLoop {
  readonly project: Practice;
  readonly tasks: number;
  readonly timesFile: string;
  readonly name: string;
}

/** Does the work of a run by a shell loop, in a clone of the project: agent, verification, `git add`, `git commit`. */
export function runShellLoop({ project, tasks, timesFile, name }: ShellLoop): LoopTimes {
  const cwd = join(project.home, `shell-${name}`);
  project.git("clone", "-q", "--no-hardlinks", project.dir, cwd);
  rmSync(timesFile, { force: true });
  const loop = `
    git config user.name Practice && git config user.email practice@example.invalid
    n=0
    while [ $n -lt ${tasks} ]; do
      n=$((n + 1))
      export RALPH_TASK_ID="shell-$n" RALPH_ATTEMPT=1
      sh "$0" < tasks.md > /dev/null && true && git add -A && git commit -q -m "task $n" || exit 1
    done`;
  const options = { cwd, env: project.env, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync("bash", ["-c", loop, workerOf(project)], options);
  if (status !== 0) throw new Error(`the shell loop ended with ${status}: ${stderr}`);
  return agentTimes(timesFile);
}
