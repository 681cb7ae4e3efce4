import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Practice, ralphStart } from "../e2e/practice.ts";

/**
 * Runs `ralph run` and sends `kill -9` to it alone as soon as `file` is there. Returns once the moment of death is
 * marked.
 */
export async function killWhen(project: Practice, file: string): Promise<void> {
  await endWhen(project, file, "SIGKILL");
  await marked(project);
}

/** Waits until the moment of death of a killed run is marked, and half a second more: what changes earlier is the agent's. */
export async function marked(project: Practice): Promise<void> {
  const folder = join(project.dir, ".ralph/alive");
  const isMarked = (): boolean =>
    readdirSync(folder).every((name) => readFileSync(join(folder, name), "utf8") !== "");
  while (!isMarked()) await sleep(5);
  // Times of change are rounded down to a clock tick.
  await sleep(600);
}

/** Runs `ralph run` and stops it, as Ctrl-C does, as soon as `file` is there. */
export async function stopWhen(project: Practice, file: string): Promise<void> {
  await endWhen(project, file, "SIGINT");
}

async function endWhen({ dir, env }: Practice, file: string, signal: NodeJS.Signals): Promise<void> {
  const child = spawn(process.execPath, [...ralphStart, "run"], { cwd: dir, env, stdio: "ignore" });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  while (child.exitCode === null && !existsSync(join(dir, file))) await sleep(20);
  child.kill(signal);
  await ended;
}
