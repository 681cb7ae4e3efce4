#!/usr/bin/env node
// An agent that speaks the format in RALPH_FAKE_FORMAT (text, claude-stream-json, pi-json) and does what
// RALPH_FAKE says: "answer", "exit <code>", "die <signal>", "silent", "hang", "chatter", "hang-after-result",
// "pause <ms>" (as Claude Code: a first result, background work for that long, then the answer), "fail", "replay <exit code> <file> <stderr>". What it was given goes to RALPH_FAKE_RECORD as JSON, if set.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { answerText, event, message, usage, words } from "./agent-words.mjs";

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
const { start, answer, fail } = words(RALPH_FAKE_FORMAT);
const write = (text) => process.stdout.write(text);

const hang = () => setInterval(() => {}, 1000);
const behaviours = {
  answer: () => write(answer),
  exit() {
    write(answer);
    process.exitCode = Number(details[0]);
  },
  die() {
    write(answer);
    process.kill(process.pid, details[0]);
    hang();
  },
  silent() {},
  hang,
  chatter: () => setInterval(() => process.stdout.write("\n"), 20),
  "hang-after-result"() {
    write(answer);
    hang();
  },
  pause() {
    const state = (name) => write(event({ type: "system", subtype: "session_state_changed", state: name }));
    const modelUsage = (turns) => ({ m: { inputTokens: 10 * turns, outputTokens: 2 * turns } });
    const turn = (said, turns) => {
      write(event({ type: "assistant", message: message(said), parent_tool_use_id: null }));
      const facts = { subtype: "success", is_error: false, usage, total_cost_usd: 0.5 * turns };
      write(event({ type: "result", result: said, ...facts, modelUsage: modelUsage(turns) }));
    };
    state("running");
    turn("Waiting for the build.", 1);
    setTimeout(() => {
      turn(answerText, 2);
      state("idle");
    }, Number(details[0]));
  },
  fail() {
    write(fail);
    process.exitCode = 1;
  },
  replay() {
    const [code, file, ...stderr] = details;
    process.stdout.write(readFileSync(file));
    process.stderr.write(stderr.join(" "));
    process.exitCode = Number(code);
  },
};
if (behaviour !== "replay" && behaviour !== "silent") write(start);
behaviours[behaviour]();
