import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

let runs = 0;

/** Runs a benchmark's script to its end, in this process, and returns what it printed. */
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
