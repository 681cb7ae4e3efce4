import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type WorkerScript, workerScript } from "../fakes/worker-script.ts";
import { type Practice, practice, type RunEvent } from "./practice.ts";
import { type StartedRun, startRun } from "./started-run.ts";

const projects: Practice[] = [];

/** Removes what `setUp` made. */
export function removeProjects(): void {
  for (const project of projects.splice(0)) project.remove();
}

interface Stage {
  readonly project: Practice;
  /** How often an agent was called. */
  calls(agent: string): number;
  startRun(...args: readonly string[]): StartedRun;
  attempts(): Promise<unknown>;
}

/** A project with so many tasks, whose agents do what their scripts say; each script counts its sessions. */
export async function setUp(given: {
  readonly agents: readonly ("claude" | "command")[];
  readonly claude?: WorkerScript;
  readonly command?: WorkerScript;
  readonly tasks?: number;
  readonly config?: string;
}): Promise<Stage> {
  const project = practice();
  projects.push(project);
  const base = join(project.dir, "..");
  const script = (name: string, content: WorkerScript) =>
    workerScript({ calls: join(base, `${name}.calls`), ...content });
  const claude = script("claude", { format: "claude-stream-json", ...given.claude });
  const program = join(base, "claude");
  const version = "[ $1 = --version ] && echo '2.1.329 (Claude Code)' && exit 0";
  writeFileSync(program, `#!/bin/sh\n${version}\n${claude}`, { mode: 0o755 });
  writeFileSync(join(base, "command.sh"), script("command", given.command ?? {}));
  const argv = JSON.stringify(["sh", join(base, "command.sh")]);
  const format = given.command?.["format"] ?? "text";
  project.write(
    ".ralph/config.yaml",
    `verifyBaseline: off\nagent: [${given.agents}]\nagents:\n  command: { argv: ${argv}, format: ${format}, tiers: [small, large] }\n  claude: { program: ${program} }\n${given.config ?? 'verify: ["true"]\n'}`,
  );
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "configure ralph");
  await project.approveConfig();
  await project.addTasks(Array.from({ length: given.tasks ?? 1 }, (_, n) => `task ${n + 1}`));
  const calls = (agent: string): number => {
    const file = join(base, `${agent}.calls`);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
  };
  return {
    project,
    calls,
    startRun: (...args) => startRun(project, ...args),
    attempts: () => project.json("task", "list"),
  };
}

/** The types of the events of limits and iterations, in order. */
export const types = (events: readonly RunEvent[]): readonly string[] =>
  events
    .map(({ type }) => type)
    .filter((type) => /^(limit\.|iteration\.(started|finished|interrupted))/.test(type));

/** The events of one type. */
export const of = (events: readonly RunEvent[], type: string): readonly RunEvent[] =>
  events.filter((event) => event.type === type);
