#!/usr/bin/env node
// An agent that speaks the protocol of `pi --mode rpc`. After the prompt it takes the steps of the script in RALPH_FAKE_SCRIPT (JSON):
// { steps: [...], refuse: the prompt's error, record: a file }. A step is one of { say } · { call: [tool, input]: a call that its extension
// asks about } · { event } · { ask: another extension's question } · { steered: true } (waits for a message) · { end: agent_end, after a message
// with these fields }. Every message that it gets is appended to `record`. Without a script it does what RALPH_FAKE says, as agent.mjs does.
import { appendFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { RALPH_FAKE = "answer", RALPH_FAKE_RECORD, RALPH_FAKE_SCRIPT = "{}" } = process.env;
if (process.argv.includes("--version")) {
  process.stdout.write("0.73.1\n");
  process.exit(0);
}
if (process.argv.includes("--list-models")) {
  process.stdout.write("No models available. Use /login to log into a provider.\n");
  process.exit(0);
}
const script = JSON.parse(RALPH_FAKE_SCRIPT);
const [behaviour, detail] = RALPH_FAKE.split(" ");

const send = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const waiting = new Map();
const steered = [];
const answers = [];
let onSteer = () => {};
let questions = 0;

async function ask(request) {
  questions += 1;
  const id = `q${questions}`;
  send({ type: "extension_ui_request", id, ...request });
  return await new Promise((resolve) => waiting.set(id, resolve));
}

const usage = { input: 10, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } };
const say = (text, more = {}) => {
  const content = [{ type: "text", text }];
  send({
    type: "message_end",
    message: { role: "assistant", content, model: "m", usage, stopReason: "stop", ...more },
  });
};
const heard = (text) =>
  send({ type: "message_start", message: { role: "user", content: [{ type: "text", text }] } });

const kinds = {
  say: (text) => say(text === "ANSWERS" ? answers.join(" ") : text),
  async call([toolName, input]) {
    send({ type: "tool_execution_start", toolName, args: input });
    const { command, path } = input;
    const message = JSON.stringify({ toolName, command, path });
    const { confirmed } = await ask({ method: "confirm", title: "ralph: permission", message });
    answers.push(confirmed);
  },
  event: (event) => send(event),
  ask: async (request) => answers.push(JSON.stringify(await ask(request))),
  async steered() {
    if (steered.length === 0) {
      await new Promise((resolve) => {
        onSteer = resolve;
      });
    }
    for (const text of steered) heard(text);
    say(`heard: ${steered.join(", ")}`);
  },
  end(more) {
    if (Object.keys(more).length > 0) say("", { content: [], ...more });
    send({ type: "agent_end", messages: [] });
  },
};

const finish = () => {
  say("All finished.\n<task-done>t-1</task-done>");
  kinds.end({});
};
const hang = () => setInterval(() => {}, 1000);
const behaviours = {
  answer: finish,
  exit() {
    finish();
    process.exitCode = Number(detail);
  },
  die() {
    finish();
    process.stdin.once("close", () => process.kill(process.pid, detail));
    hang();
  },
  silent: () => process.exit(0),
  hang,
  chatter: () => setInterval(() => process.stdout.write("\n"), 20),
  fail() {
    kinds.end({ stopReason: "error", errorMessage: "529 Overloaded" });
    process.exitCode = 1;
  },
};

async function begin(prompt) {
  if (RALPH_FAKE_RECORD) {
    const given = { argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), stdin: prompt };
    writeFileSync(RALPH_FAKE_RECORD, JSON.stringify(given));
  }
  send({ type: "agent_start" });
  heard(prompt);
  if (!script.steps) return behaviours[behaviour]();
  for (const step of script.steps) for (const [kind, value] of Object.entries(step)) await kinds[kind](value);
}

const state = { model: { contextWindow: 1000 }, sessionId: "s1", isStreaming: false, isCompacting: false };

for await (const line of createInterface({ input: process.stdin })) {
  if (script.record) appendFileSync(script.record, `${line}\n`);
  const { id, type, message, ...rest } = JSON.parse(line);
  const response = { id, type: "response", command: type, success: true };
  if (type === "get_state") send({ ...response, data: state });
  else if (type === "extension_ui_response") waiting.get(id)?.(rest);
  else if (type === "prompt" && script.refuse) send({ ...response, success: false, error: script.refuse });
  else if (type === "prompt") {
    send(response);
    void begin(message);
  } else if (type === "steer") {
    steered.push(message);
    send(response);
    onSteer();
  }
}
