import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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

/** A number that no other process has on its command line. */
export function newToken(): string {
  return String(randomInt(1e8, 1e9));
}

/** How many running processes have `token` on their command line. */
export function running(token: string): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => commandLine(pid).includes(`60.${token}`)).length;
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
