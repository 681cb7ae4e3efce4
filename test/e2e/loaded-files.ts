import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Practice, ralphBin } from "./practice.ts";

const recorder = `process.once("exit", () =>
  require("node:fs").writeFileSync(process.env.LOADED, Object.keys(require.cache).join("\\n")));
`;

/** The output of a command, and the paths of the files that Node had loaded by its end. */
interface Loaded {
  readonly stdout: string;
  readonly files: readonly string[];
}

/** Runs `ralph ARGS` in a process of its own. */
export async function loadedFiles(
  made: Practice,
  args: readonly string[],
  input: string = "",
): Promise<Loaded> {
  const record = join(made.home, "recorder.cjs");
  writeFileSync(record, recorder);
  const list = join(made.home, "loaded");
  const child = spawn(process.execPath, ["--require", record, ralphBin, ...args], {
    cwd: made.dir,
    env: { ...made.env, LOADED: list },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.end(input);
  const stdout = await text(child.stdout);
  return { stdout, files: readFileSync(list, "utf8").split("\n") };
}
