import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { IsolationLevel } from "../../src/agents/port/confinement.ts";
import { detectIsolation } from "../../src/agents/supervision.ts";
import { type Practice, ralphStart } from "../e2e/practice.ts";
import type { GenuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";
import type { Script } from "./model-server/model-server.ts";

// The long form: RALPH_TEST_AGENT_KILLS=20 npm run test:agents.
const tries = Number(process.env["RALPH_TEST_AGENT_KILLS"] ?? 2);
const isLong = process.env["RALPH_TEST_AGENT_KILLS"] !== undefined;
/** A try takes 5 to 20 s; on a busy machine, its agent may take a minute to come to its last command. */
const limitMs = tries * 120_000;

/** The model works in short commands, and is in a long one at the end. Every other kill comes there, the others at random times before. */
function scriptFor({ name }: GenuineAgent): Script {
  const note = { ralph: "note_add", input: { content: "The work began.", type: "learning" } };
  const last = [{ command: "sleep 0.2; sleep 300" }, { text: "never" }];
  return [{ command: "sleep 0.2" }, ...(name === "pi" ? [] : [note]), ...last];
}

/** About the time that each program takes to its last command. */
const untilBusyMs = { claude: 2500, codex: 2500, gemini: 6000, opencode: 8000, pi: 4000 };

/** Kills a genuine agent, or ralph, at random times: no process of the agent may be left. */
export function testKills(agent: GenuineAgent): void {
  const isolations = ["pid-namespace", "process-group"] as const;
  describe.skipIf(!agent.found)(`the genuine ${agent.name}, killed`, () => {
    for (const isolation of isolations) {
      test(
        `LOOP-10: no process is left when a process of the agent is killed, at level ${isolation} (${tries})`,
        async ({ skip }) => {
          if (!(await exists(isolation))) skip();
          await repeat(agent, isolation, killAgent);
        },
        limitMs,
      );

      test(
        `LOOP-10 LOOP-11: no process is left when ralph is killed, at level ${isolation} (${tries})`,
        async ({ skip }) => {
          if (!(await exists(isolation))) skip();
          await repeat(agent, isolation, killRalph);
        },
        limitMs,
      );
    }
  });
}

async function exists(isolation: IsolationLevel): Promise<boolean> {
  return isolation === "process-group" || (await detectIsolation("auto")) === isolation;
}

interface Try {
  readonly agent: GenuineAgent;
  readonly made: Practice;
  readonly isolation: IsolationLevel;
  readonly ralph: ChildProcess;
  readonly ended: Promise<unknown>;
}

async function repeat(
  agent: GenuineAgent,
  isolation: IsolationLevel,
  kill: (one: Try) => Promise<string>,
): Promise<void> {
  const left: string[] = [];
  for (let n = 0; n < tries; n += 1) {
    const sandbox = isolation === "process-group" ? "sandbox: off\n" : "";
    const { made, server } = await genuineProject(agent, {
      script: scriptFor(agent),
      config: sandbox,
    });
    const words = [...ralphStart, "run", "t-1", "--once"];
    const ralph = spawn(process.execPath, words, { cwd: made.dir, env: made.env, stdio: "ignore" });
    const ended = new Promise((resolve) => ralph.once("exit", resolve));
    onTestFinished(() => void ralph.kill("SIGKILL"));
    if (n % 2 === 0) await sleep(Math.random() * untilBusyMs[agent.name]);
    else await untilLastCommand(made);
    const what = await kill({ agent, made, isolation, ralph, ended });
    const survivors = processesOf(made);
    left.push(...survivors.map(({ words: line }) => `${what}: ${line}`));
    for (const { pid } of survivors) process.kill(pid, "SIGKILL");
    await server.close();
    made.remove();
  }
  if (isLong)
    process.stdout.write(`${agent.name}, ${isolation}: ${left.length} processes left after ${tries} kills\n`);
  expect(left).toEqual([]);
}

async function untilLastCommand(made: Practice): Promise<void> {
  for (let look = 0; look < 1200; look += 1) {
    if (processesOf(made).some(({ words }) => words.startsWith("sleep 300"))) return;
    await sleep(50);
  }
  throw new Error("the agent did not come to its last command");
}

const signals = ["SIGKILL", "SIGTERM", "SIGINT"] as const;

/** Kills one of its processes, whichever; ralph must end the others. */
async function killAgent({ made, ralph, ended }: Try): Promise<string> {
  let mine: readonly Process[] = [];
  for (let look = 0; look < 400 && mine.length === 0 && ralph.exitCode === null; look += 1) {
    mine = processesOf(made).filter(({ pid }) => pid !== ralph.pid);
    if (mine.length === 0) await sleep(25);
  }
  const victim = mine[Math.floor(Math.random() * mine.length)];
  const signal = signals[Math.floor(Math.random() * signals.length)] ?? "SIGKILL";
  if (victim) signalTo(victim.pid, signal);
  // A process that the agent can do without may have been the one; then a person stops the run.
  await Promise.race([ended, sleep(1500)]);
  if (ralph.exitCode === null) ralph.kill("SIGINT");
  await ended;
  return `${signal} to ${victim?.words}`;
}

/** In a namespace the kernel ends them; elsewhere the next start does. */
async function killRalph({ agent, made, isolation, ralph, ended }: Try): Promise<string> {
  ralph.kill("SIGKILL");
  await ended;
  const before = processesOf(made).length;
  // In a process of its own: one that serves many runs would stay in the project and be counted, and killed, as a survivor.
  if (isolation === "process-group") await made.start("run", "--once", "--max-duration", "1s");
  for (let look = 0; look < 200 && processesOf(made).length > 0; look += 1) await sleep(25);
  return `${agent.name} had ${before} processes when ralph was killed`;
}

interface Process {
  readonly pid: number;
  readonly words: string;
}

/** The processes that have the project's folders in their environment, or work there. */
function processesOf({ dir }: Practice): readonly Process[] {
  const base = dirname(dir);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`);
  return pids.flatMap((name) => {
    const read = (file: string): string => readFileSync(`/proc/${name}/${file}`, "latin1");
    try {
      const words = read("cmdline").replaceAll("\0", " ").slice(0, 200);
      const isOurs = readlinkSync(`/proc/${name}/cwd`).startsWith(base) || read("environ").includes(base);
      return isOurs && words !== "" ? [{ pid: Number(name), words }] : [];
    } catch {
      return [];
    }
  });
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}
