import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Runs a benchmark's script to its end and returns what it printed; throws with its stderr when it fails. */
export function runBenchmark(...args: readonly string[]): string {
  const options = { cwd: root, encoding: "utf8" } as const;
  // In Node itself: the program `tsx` would start a second process.
  return execFileSync(process.execPath, ["--import", "tsx", ...args], options);
}
