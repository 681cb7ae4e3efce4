import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Runs a benchmark's script to its end and returns what it printed; throws with its stderr when it fails. */
export function runBenchmark(...args: readonly string[]): string {
  const options = { cwd: root, encoding: "utf8" } as const;
  // In Node itself: the program `tsx` would start a second process.
  return execFileSync(
    process.execPath,
    ["--import", "tsx", "--import", "./bench/text-modules.mjs", ...args],
    options,
  );
}

let runs = 0;

/** As `runBenchmark`, in this process, where most of its modules are loaded already. */
export async function benchmarkHere(script: string, ...args: readonly string[]): Promise<string> {
  const { argv } = process;
  const { log } = console;
  const printed: string[] = [];
  process.argv = [process.execPath, join(root, script), ...args];
  console.log = (text: string) => printed.push(text);
  runs += 1;
  try {
    // The number makes it another module, which is evaluated again.
    await import(/* @vite-ignore */ `${join(root, script)}?run=${runs}`);
  } finally {
    process.argv = argv;
    console.log = log;
  }
  return printed.join("\n");
}
