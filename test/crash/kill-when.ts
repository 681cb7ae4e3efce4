import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Practice, ralphBin } from "../e2e/practice.ts";

/**
 * Runs `ralph run ARGS` and sends `kill -9` to it alone as soon as its agent has made `file`. Returns once the moment of
 * death is marked.
 */
export async function killWhen({ dir, env }: Practice, file: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [ralphBin, "run", ...args], { cwd: dir, env, stdio: "ignore" });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  while (child.exitCode === null && !existsSync(join(dir, file))) await sleep(20);
  child.kill("SIGKILL");
  await ended;
  const folder = join(dir, ".ralph/alive");
  const isMarked = (): boolean =>
    readdirSync(folder).every((name) => readFileSync(join(folder, name), "utf8").includes("died\ndied\n"));
  while (!isMarked()) await sleep(5);
}
