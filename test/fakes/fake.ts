import { randomInt } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sendSignal } from "../../src/process/kill-leftovers.ts";
import { parseStat, readProc } from "../../src/process/process-table.ts";

const folder = import.meta.dirname;

/** The command line of the tiny agent `test/fakes/<name>.mjs`. */
export function fake(name: string, ...args: readonly string[]): [string, ...string[]] {
  return [process.execPath, join(folder, `${name}.mjs`), ...args];
}

/** The path of a fake that can be run by itself. */
export function fakeProgram(name: string): string {
  return join(folder, `${name}.mjs`);
}

/** The surroundings of a fake: where programs are, and nothing else. */
export const fakeEnv: Readonly<Record<string, string>> = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };

const tokens: string[] = [];

/** A number that no other process has on its command line. */
export function newToken(): string {
  const token = String(randomInt(1e8, 1e9));
  tokens.push(token);
  return token;
}

/** How many running processes have `token` on their command line. */
export function running(token: string): number {
  return holders([`60.${token}`]).length;
}

/** Quiet looks in a row until nothing is there: a chain of processes is between two lives at times. */
const quietLooks = 10;
const patienceMs = 15_000;

/**
 * Ends, with its whole group, whatever has one of `these` tokens on its command line; without `these`, any token that
 * this file ever made. For the end of a test, whatever became of it: what a failed one leaves would go on and on.
 */
export async function endFakes(these: readonly string[] = tokens): Promise<void> {
  const start = performance.now();
  const own = groupOf(process.pid);
  for (let quiet = 0; quiet < quietLooks && performance.now() - start < patienceMs; quiet++) {
    for (const pid of holders(these)) {
      quiet = -1;
      const group = groupOf(pid);
      if (group !== undefined && group > 1 && group !== own) sendSignal(-group, "SIGKILL");
      sendSignal(pid, "SIGKILL");
    }
    await sleep(5);
  }
}

function holders(words: readonly string[]): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    const line = readProc(pid, "cmdline")?.toString("latin1") ?? "";
    return words.some((word) => line.includes(word));
  });
}

function groupOf(pid: number): number | undefined {
  return parseStat(readProc(pid, "stat")?.toString("latin1") ?? "")?.group;
}
