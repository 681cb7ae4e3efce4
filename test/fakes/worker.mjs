// A scripted agent for whole-loop tests: does for each task and attempt what its script says, by really editing
// files, running commands and committing. Usage: node worker.mjs SCRIPT.json
// Script: { "<task id>": [step for attempt 1, step for attempt 2, …] }, the last one serving all later attempts;
// "*" serves every other task. Step: { write, append, remove, run, loud, commit, sleepMs, say, exit, signal, keep }; with
// "loud" what is run shares the agent's output.
// "{id}", "{attempt}" are filled in everywhere. The prompt is kept in DIR/<task>-<attempt>.txt when "prompts" is DIR.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const prompt = await text(process.stdin);
const script = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { RALPH_TASK_ID: id, RALPH_ATTEMPT: attempt } = process.env;
const fill = (value) => value.replaceAll("{id}", id).replaceAll("{attempt}", attempt);
const safe = id.replaceAll(/[^\w.-]/g, "_");
if (script.prompts) {
  mkdirSync(script.prompts, { recursive: true });
  writeFileSync(join(script.prompts, `${safe}-${attempt}.txt`), prompt);
}
if (script.starts) appendFileSync(script.starts, `${id} ${attempt}\n`);
const steps = script[id] ?? script["*"] ?? [{}];
const step = steps[Math.min(Number(attempt), steps.length) - 1];
const write = (file, content) => {
  mkdirSync(dirname(fill(file)), { recursive: true });
  writeFileSync(fill(file), fill(content));
};
if (step.sleepMs) await sleep(step.sleepMs);
for (const [file, content] of Object.entries(step.write ?? {})) write(file, content);
for (const [file, content] of Object.entries(step.append ?? {})) appendFileSync(fill(file), fill(content));
for (const file of step.remove ?? []) rmSync(fill(file), { recursive: true, force: true });
for (const [file, ...args] of step.run ?? [])
  execFileSync(file, args.map(fill), { stdio: step.loud ? ["ignore", "inherit", "inherit"] : "ignore" });
if (step.commit) {
  execFileSync("git", ["add", "-A"]);
  // A session before this one may have committed the same work and been killed then.
  const staged = execFileSync("git", ["diff", "--cached", "--name-only"], { encoding: "utf8" });
  if (staged !== "") execFileSync("git", ["commit", "-q", "-m", fill(step.commit)]);
}
process.stdout.write(`${fill(step.say ?? "Finished.\n\n<task-done>{id}</task-done>")}\n`);
if (step.signal) process.kill(process.pid, step.signal);
process.exitCode = step.exit ?? 0;
