// An agent for the scripted night: speaks the stream of Claude Code, and does for each task and attempt what the
// night's script says. Usage: node night-agent.mjs NIGHT.json
// Night: { folder, resetMs, tasks: { "<task id>": [trouble for attempt 1, trouble for attempt 2, …] } }; a task or
// attempt that is not named works well. Troubles that burn no attempt happen once and are remembered in `folder`.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

await text(process.stdin);
const night = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { RALPH_TASK_ID: id, RALPH_ATTEMPT: attempt, RALPH_MODEL: model } = process.env;
const trouble = night.tasks[id]?.[Number(attempt) - 1] ?? "well";
appendFileSync(join(night.folder, "sessions"), `${id} ${attempt} ${trouble}\n`);

const tell = (event) => process.stdout.write(`${JSON.stringify({ session_id: `s-${id}`, ...event })}\n`);
const say = (words) =>
  tell({
    type: "assistant",
    message: { id: `m-${Date.now()}`, model, content: [{ type: "text", text: words }] },
  });
const usage = {
  input_tokens: 100,
  output_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
function end(words, error) {
  tell({
    type: "result",
    subtype: "success",
    is_error: error !== undefined,
    ...error,
    result: words,
    usage,
    total_cost_usd: error ? 0 : night.costUsd,
  });
  process.exitCode = error ? 1 : 0;
}
const done = `Finished.\n\n<task-done>${id}</task-done>`;
const write = (content) => {
  mkdirSync("src", { recursive: true });
  writeFileSync(`src/${id}.txt`, content);
};
/** True the first time only: what a limit or a lost network hits is tried again as the same attempt. */
function once(name) {
  const mark = join(night.folder, `${id}-${name}`);
  if (existsSync(mark)) return false;
  writeFileSync(mark, "");
  return true;
}
function runaway(...argv) {
  spawn(argv[0], argv.slice(1), { detached: true, stdio: "ignore" }).unref();
}
const forever = [process.execPath, "-e", `setInterval(() => {}, 1000); // ${night.token}`];

const troubles = {
  well() {
    write(`work on ${id}\n`);
    end(done);
  },
  limit() {
    if (!once("limit")) return troubles.well();
    const resetsAt = Math.ceil((Date.now() + night.resetMs) / 1000);
    tell({
      type: "rate_limit_event",
      rate_limit_info: { status: "rejected", resetsAt, rateLimitType: "five_hour" },
    });
    const words = "You've hit your session limit";
    tell({ type: "assistant", error: "rate_limit", message: { content: [{ type: "text", text: words }] } });
    end(words, { api_error_status: 429, terminal_reason: "api_error" });
  },
  network() {
    if (!once("network")) return troubles.well();
    const words = "API Error: Unable to connect to API (ECONNREFUSED)";
    tell({ type: "assistant", error: "unknown", message: { content: [{ type: "text", text: words }] } });
    end(words, { api_error_status: null, terminal_reason: "api_error" });
  },
  async silent() {
    say("Let me think.");
    await sleep(3_600_000);
  },
  async chatter() {
    for (;;) {
      say("Still at it.");
      await sleep(200);
    }
  },
  crash() {
    write(`half of ${id}\n`);
    process.kill(process.pid, "SIGSEGV");
  },
  runaways() {
    runaway("setsid", ...forever);
    runaway("sh", "-c", 'setsid "$@" & exit 0', "sh", ...forever);
    runaway("setsid", "env", "-i", ...forever);
    troubles.well();
  },
  commits() {
    write(`work on ${id}\n`);
    execFileSync("git", ["add", "-A"]);
    if (execFileSync("git", ["diff", "--cached", "--name-only"], { encoding: "utf8" }) !== "")
      execFileSync("git", ["commit", "-q", "-m", `own commit for ${id}`]);
    end(done);
  },
  "edits-check"() {
    write(`broken ${id}\n`);
    writeFileSync("check.mjs", "process.exit(0);\n");
    end(done);
  },
  "edits-script"() {
    write(`broken ${id}\n`);
    writeFileSync("package.json", '{ "scripts": { "test": "true" } }\n');
    end(done);
  },
  "puts-back"() {
    execFileSync("git", ["checkout", "-q", "--", "check.mjs", "package.json"]);
    troubles.well();
  },
  "claims-nothing": () => end(`It was all there already.\n\n<task-done>${id}</task-done>`),
  "claims-broken"() {
    write(`broken ${id}\n`);
    end(done);
  },
  fails() {
    write(`broken ${id} by attempt ${attempt}\n`);
    end(done);
  },
};

tell({ type: "system", subtype: "init", model });
await troubles[trouble]();
