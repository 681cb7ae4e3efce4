// Runs command lines one after another in one process, through the program that `bin/ralph.js` starts.
// argv: the built main.cjs, a file with a JSON list of command lines, a file for what each printed and returned.

import { setMaxListeners } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";

const [built, linesFile, resultsFile] = process.argv.slice(2);
const { main } = await import(built);
// Every command line adds its own listeners to the streams.
for (const stream of [process.stdout, process.stderr]) setMaxListeners(0, stream);

let printed = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"]) {
  process[name].write = (text, ...rest) => {
    printed[name] += text;
    const callback = rest.at(-1);
    if (typeof callback === "function") callback();
    return true;
  };
}

const results = [];
for (const words of JSON.parse(readFileSync(linesFile, "utf8"))) {
  printed = { stdout: "", stderr: "" };
  const started = performance.now();
  const code = await main(words);
  results.push({ words, code, ...printed, ms: Math.round(performance.now() - started) });
}
writeFileSync(resultsFile, JSON.stringify(results));
