#!/usr/bin/env node
// An agent that speaks the Agent Client Protocol. In a session it takes the steps of the script in RALPH_FAKE_SCRIPT, or in the file
// that its first argument names (JSON): { open: the answer to session/new, initialize, steps: [...], record: a file }. A step is one of
// { say } · { update } · { ask: a tool call, options } · { write: {file: text} } · { stderr } · { waitMs } · { end: the prompt's answer } ·
// { error } · { hang: true }. Every message that it gets is appended to `record`.
// Without a script it does what RALPH_FAKE says, as test/fakes/agent.mjs does.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const { RALPH_FAKE = "answer", RALPH_FAKE_RECORD, RALPH_FAKE_SCRIPT } = process.env;
const file = process.argv[2];
const script = JSON.parse(
  RALPH_FAKE_SCRIPT ?? (file && existsSync(file) ? readFileSync(file, "utf8") : "{}"),
);
const [behaviour, detail] = RALPH_FAKE.split(" ");

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const sessionId = "s1";
const update = (change) => send({ method: "session/update", params: { sessionId, update: change } });
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const waiting = new Map();
let requests = 0;

async function ask(toolCall, options) {
  requests += 1;
  const id = `p${requests}`;
  const all = ["allow_once", "allow_always", "reject_once", "reject_always"];
  const offered = options ?? all.map((kind) => ({ optionId: kind, kind, name: kind }));
  send({ id, method: "session/request_permission", params: { sessionId, toolCall, options: offered } });
  return await new Promise((resolve) => waiting.set(id, resolve));
}

async function take(step, id) {
  if (step.say !== undefined) say(step.say);
  if (step.update) update(step.update);
  if (step.write) for (const [name, text] of Object.entries(step.write)) writeFileSync(name, text);
  if (step.ask) say(`${(await ask(step.ask, step.options)).outcome.optionId ?? "cancelled"};`);
  if (step.stderr) process.stderr.write(`${step.stderr}\n`);
  if (step.waitMs) await sleep(step.waitMs);
  if (step.error) send({ id, error: step.error });
  if (step.end) send({ id, result: step.end });
  if (step.hang) await new Promise(() => setInterval(() => {}, 1000));
}

const answer = "All finished.\n<task-done>t-1</task-done>";
const usage = {
  inputTokens: 10,
  outputTokens: 2,
  cachedReadTokens: 3,
  cachedWriteTokens: 4,
  totalTokens: 19,
};
const finish = (id) => {
  say(answer.slice(0, 9));
  say(answer.slice(9));
  send({ id, result: { stopReason: "end_turn", usage } });
};
const hang = () => setInterval(() => {}, 1000);
const behaviours = {
  answer: finish,
  exit(id) {
    finish(id);
    process.exitCode = Number(detail);
  },
  die(id) {
    finish(id);
    process.stdin.once("close", () => process.kill(process.pid, detail));
    hang();
  },
  silent: () => process.exit(0),
  hang,
  chatter: () => setInterval(() => process.stdout.write("\n"), 20),
  fail(id) {
    send({ id, error: { code: -32603, message: "We are experiencing high demand." } });
    process.exitCode = 1;
  },
};

const models = {
  id: "model",
  name: "Model",
  category: "model",
  type: "select",
  currentValue: "m",
  options: [{ value: "m", name: "M" }],
};

const on = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [], ...script.initialize }),
  "session/new": () => ({ sessionId, ...(script.open ?? { configOptions: [models] }) }),
  authenticate() {
    delete script.refuse?.["session/new"];
  },
  "session/set_mode": () => ({}),
  "session/set_model": () => ({}),
  "session/set_config_option": () => ({ configOptions: [] }),
};

async function prompt({ id, params }) {
  const stdin = params.prompt.map(({ text }) => text).join("");
  if (RALPH_FAKE_RECORD) {
    const given = { argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), stdin };
    writeFileSync(RALPH_FAKE_RECORD, JSON.stringify(given));
  }
  if (!script.steps) return behaviours[behaviour](id);
  for (const step of script.steps) await take(step, id);
}

for await (const line of createInterface({ input: process.stdin })) {
  if (script.record) appendFileSync(script.record, `${line}\n`);
  const message = JSON.parse(line);
  if (message.method === "session/prompt") void prompt(message);
  else if (message.method && message.id !== undefined) {
    const refused = script.refuse?.[message.method];
    send(
      refused ? { id: message.id, error: refused } : { id: message.id, result: on[message.method]?.() ?? {} },
    );
  } else waiting.get(message.id)?.(message.result);
}
