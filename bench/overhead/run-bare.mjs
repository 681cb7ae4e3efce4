// Usage: node run-bare.mjs JSON: runs { argv, cwd, env, stdin } `times` times by a plain spawn and prints the
// milliseconds of each. A process of its own, as starting a child takes the longer the larger the parent is.
import { spawn } from "node:child_process";

const { argv, cwd, env, stdin, times } = JSON.parse(process.argv[2]);
const [program, ...args] = argv;
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
  if (code !== 0) throw new Error(`${argv.join(" ")}: exit code ${code}`);
}
console.log(JSON.stringify(took));
