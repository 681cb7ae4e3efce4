#!/usr/bin/env node
// An agent that speaks the format in RALPH_FAKE_FORMAT (text, claude-stream-json, codex-json, opencode-json, gemini-stream-json, pi-json) and does what
// RALPH_FAKE says: "answer", "exit <code>", "die <signal>", "silent", "hang", "chatter", "hang-after-result",
// "pause <ms>" (as Claude Code: a first result, background work for that long, then the answer), "fail", "replay <exit code> <file> <stderr>". What it was given goes to RALPH_FAKE_RECORD as JSON, if set.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const isConversation = process.argv.includes("--input-format");
const stdin = isConversation ? await firstMessage() : await wholeInput();
const { RALPH_FAKE = "answer", RALPH_FAKE_FORMAT = "text", RALPH_FAKE_RECORD } = process.env;
if (RALPH_FAKE_RECORD) {
  const given = { argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), stdin };
  writeFileSync(RALPH_FAKE_RECORD, JSON.stringify(given));
}

async function wholeInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The prompt of a conversation, as Claude Code reads it; its input stays open. */
async function firstMessage() {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdin.unref?.();
    return JSON.parse(line).message.content[0].text;
  }
}

const [behaviour, ...details] = RALPH_FAKE.split(" ");
const answer = "All finished.\n<task-done>t-1</task-done>";
const event = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const message = (text) => ({ id: "m1", role: "assistant", model: "m", content: [{ type: "text", text }] });
const usage = {
  input_tokens: 10,
  output_tokens: 2,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 4,
};

const say = {
  text: { start() {}, answer: () => process.stdout.write(answer), fail: () => process.exit(1) },
  "claude-stream-json": {
    start: () => event({ type: "system", subtype: "init", session_id: "s1", model: "m" }),
    answer() {
      event({ type: "assistant", message: message(answer), parent_tool_use_id: null });
      event({
        subtype: "success",
        is_error: false,
        result: answer,
        usage,
        total_cost_usd: 0.5,
        type: "result",
      });
    },
    fail() {
      const result = "API Error: 529 Overloaded";
      event({ type: "result", subtype: "success", is_error: true, api_error_status: 529, result, usage });
      process.exit(1);
    },
  },
  "codex-json": {
    start: () => event({ type: "thread.started", thread_id: "s1" }),
    answer() {
      event({ type: "item.completed", item: { type: "agent_message", text: answer } });
      const told = {
        input_tokens: 13,
        cached_input_tokens: 3,
        cache_write_input_tokens: 4,
        output_tokens: 2,
      };
      event({ type: "turn.completed", usage: told });
    },
    fail() {
      event({ type: "turn.failed", error: { message: "We are experiencing high demand." } });
      process.exit(1);
    },
  },
  "opencode-json": {
    start: () => event({ type: "step_start", sessionID: "s1", part: { type: "step-start" } }),
    answer() {
      event({ type: "text", sessionID: "s1", part: { type: "text", text: answer } });
      const tokens = { input: 10, output: 1, reasoning: 1, cache: { read: 3, write: 4 } };
      event({ type: "step_finish", sessionID: "s1", part: { reason: "stop", tokens, cost: 0.5 } });
    },
    fail() {
      const data = { message: "Overloaded", statusCode: 529, isRetryable: true };
      event({ type: "error", sessionID: "s1", error: { name: "APIError", data } });
      process.exit(1);
    },
  },
  "gemini-stream-json": {
    start: () => event({ type: "init", session_id: "s1", model: "m" }),
    answer() {
      const half = answer.length >> 1;
      for (const content of [answer.slice(0, half), answer.slice(half)])
        event({ type: "message", role: "assistant", content, delta: true });
      const stats = { total_tokens: 15, input_tokens: 13, output_tokens: 2, cached: 3, input: 10 };
      event({ type: "result", status: "success", stats });
    },
    fail() {
      const message = '[API Error: {"error":{"code":503,"message":"The model is overloaded."}}]';
      event({ type: "result", status: "error", error: { type: "unknown", message }, stats: {} });
      process.exit(1);
    },
  },
  "pi-json": {
    start() {
      event({ type: "session", version: 3, id: "s1" });
      event({ type: "agent_start" });
    },
    answer() {
      const spent = { input: 10, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } };
      const content = [{ type: "text", text: answer }];
      const message = { role: "assistant", content, model: "m", usage: spent, stopReason: "stop" };
      event({ type: "message_end", message });
      event({ type: "agent_end", messages: [message] });
    },
    fail() {
      const errorMessage = "529 Overloaded";
      const message = { role: "assistant", content: [], usage: {}, stopReason: "error", errorMessage };
      event({ type: "message_end", message });
      event({ type: "agent_end", messages: [message] });
      process.exit(1);
    },
  },
}[RALPH_FAKE_FORMAT];

const hang = () => setInterval(() => {}, 1000);
const behaviours = {
  answer: () => say.answer(),
  exit() {
    say.answer();
    process.exitCode = Number(details[0]);
  },
  die() {
    say.answer();
    process.kill(process.pid, details[0]);
    hang();
  },
  silent() {},
  hang,
  chatter: () => setInterval(() => process.stdout.write("\n"), 20),
  "hang-after-result"() {
    say.answer();
    hang();
  },
  pause() {
    const state = (name) => event({ type: "system", subtype: "session_state_changed", state: name });
    const modelUsage = (turns) => ({ m: { inputTokens: 10 * turns, outputTokens: 2 * turns } });
    const turn = (words, turns) => {
      event({ type: "assistant", message: message(words), parent_tool_use_id: null });
      const facts = { subtype: "success", is_error: false, usage, total_cost_usd: 0.5 * turns };
      event({ type: "result", result: words, ...facts, modelUsage: modelUsage(turns) });
    };
    state("running");
    turn("Waiting for the build.", 1);
    setTimeout(() => {
      turn(answer, 2);
      state("idle");
    }, Number(details[0]));
  },
  fail: () => say.fail(),
  replay() {
    const [code, file, ...stderr] = details;
    process.stdout.write(readFileSync(file));
    process.stderr.write(stderr.join(" "));
    process.exitCode = Number(code);
  },
};
if (behaviour !== "replay" && behaviour !== "silent") say.start();
behaviours[behaviour]();
