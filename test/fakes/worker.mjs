// A scripted agent for whole-loop tests: does for each task and attempt what its script says, by really editing
// files, running commands and committing. Usage: node worker.mjs SCRIPT.json
// Script: { "<task id>": [step for attempt 1, step for attempt 2, …] }, the last one serving all later attempts;
// "*" serves every other task. Step: { write, append, remove, run, loud, commit, sleepMs, say, exit, signal, keep }; with
// "loud" what is run shares the agent's output.
// With "calls": FILE the steps are those of the task's first, second, … session, counted in FILE, whatever its attempt.
// Step "cost": dollars, told with "format".
// Step "refuse": { words, resetsIn, status, type }: fails with these words instead. "format": "claude-stream-json" makes it tell
// everything by Claude Code's events, "codex-json" its last message by Codex's.
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
if (script.calls) appendFileSync(script.calls, `${id}\n`);
const called =
  script.calls &&
  readFileSync(script.calls, "utf8")
    .split("\n")
    .filter((line) => line === id).length;
const steps = script[id] ?? script["*"] ?? [{}];
const step = steps[Math.min(called || Number(attempt), steps.length) - 1];
const event = (fields) => process.stdout.write(`${JSON.stringify(fields)}\n`);
const result = (fields) => event({ type: "result", subtype: "success", is_error: false, ...fields });
const asCodex = script.format === "codex-json";
const asClaude = script.format === "claude-stream-json";
if (asClaude) event({ type: "system", subtype: "init", session_id: "s", model: "m" });
if (step.refuse) {
  const { words, resetsIn, status = 429, type = "five_hour" } = step.refuse;
  if (!asClaude) process.stderr.write(`ERROR: ${words}\n`);
  else {
    const resetsAt = Math.ceil(Date.now() / 1000) + resetsIn;
    const info = { status: "rejected", resetsAt, rateLimitType: type };
    if (resetsIn) event({ type: "rate_limit_event", rate_limit_info: info });
    result({ is_error: true, api_error_status: status, result: words });
  }
  process.exit(1);
}
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
const said = fill(step.say ?? "Finished.\n\n<task-done>{id}</task-done>");
for (const fields of step.events ?? []) event(fields);
if (asCodex) {
  event({ type: "item.completed", item: { type: "agent_message", text: said } });
  event({ type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } });
} else if (asClaude) result({ result: said, ...(step.cost ? { total_cost_usd: step.cost } : {}) });
else process.stdout.write(`${said}\n`);
if (step.signal) process.kill(process.pid, step.signal);
process.exitCode = step.exit ?? 0;
