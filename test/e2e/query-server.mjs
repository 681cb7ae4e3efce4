// Runs command lines from stdin one after another in this one process, through the program that `bin/ralph.js` starts:
// a start of its own for each takes ten times as long. argv: the built main.cjs. A line in: { cwd, env, words, release,
// input }, a line out: { code, stdout, stderr }. Node needs `--expose-gc`.
import { setMaxListeners } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";

const { main } = await import(process.argv[2]);
// Every command line adds its own listeners to the streams.
for (const stream of [process.stdout, process.stderr]) setMaxListeners(0, stream);

const answer = process.stdout.write.bind(process.stdout);
let printed = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"]) {
  process[name].write = (text, ...rest) => {
    printed[name] += text;
    const callback = rest.at(-1);
    if (typeof callback === "function") callback();
    return true;
  };
}

/**
 * The driver closes a file when the last of its statements is collected. Most are young: a whole collection takes 20 times
 * as long.
 */
async function closeFiles() {
  await setImmediate();
  globalThis.gc({ type: "minor" });
  await setImmediate();
  if (!hasOpenStore()) return;
  globalThis.gc();
  await setImmediate();
}

/** Returns true also where the open files are not known. */
function hasOpenStore() {
  const folder = "/proc/self/fd";
  try {
    return readdirSync(folder).some((name) => isStore(`${folder}/${name}`));
  } catch {
    return true;
  }
}

function isStore(link) {
  try {
    return /\.db(?:-wal|-shm)?$/.test(readlinkSync(link));
  } catch {
    // The descriptor of the listing itself.
    return false;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { cwd, env, words, release, input = "" } = JSON.parse(line);
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  printed = { stdout: "", stderr: "" };
  const code = await main(words);
  if (release) await closeFiles();
  answer(`${JSON.stringify({ code, ...printed })}\n`);
}
