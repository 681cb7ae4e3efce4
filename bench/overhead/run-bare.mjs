// Usage: node run-bare.mjs JSON: runs each of { programs, cwd, env, stdin } `times` times by a plain spawn and prints the
// milliseconds of each, a list per program. A process of its own, as starting a child takes the longer the larger the parent is.
import { spawn } from "node:child_process";

const { programs, cwd, env, stdin, times } = JSON.parse(process.argv[2]);

async function timesOf([program, ...args]) {
  const took = [];
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    child.stdout.resume();
    child.stderr.resume();
    const code = await new Promise((done) => child.once("close", done));
    took.push(performance.now() - started);
    if (code !== 0) throw new Error(`${program} ${args.join(" ")}: exit code ${code}`);
  }
  return took;
}

const all = [];
for (const argv of programs) all.push(await timesOf(argv));
console.log(JSON.stringify(all));
