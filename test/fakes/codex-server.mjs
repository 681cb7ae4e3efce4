#!/usr/bin/env node
// An agent that speaks the protocol of `codex app-server`. In a turn it takes the steps of the script in RALPH_FAKE_SCRIPT (JSON):
// { steps: [...], refuse: {method: error}, record: a file }. A step is one of { say } · { item } · { run: a command it asks for } ·
// { change: files it asks for } · { request: [method, params] } · { notify: [method, params] } · { write: {file: text} } ·
// { steered: true } (waits for a message) · { end: the turn } · { hang: true }. Every message that it gets is appended to `record`.
// Without a script it does what RALPH_FAKE says, as test/fakes/agent.mjs does.
import { appendFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { RALPH_FAKE = "answer", RALPH_FAKE_RECORD, RALPH_FAKE_SCRIPT = "{}" } = process.env;
if (process.argv.includes("--version")) {
  process.stdout.write("codex-cli 0.169.0\n");
  process.exit(0);
}
if (process.argv.includes("login")) {
  process.stderr.write("Not logged in\n");
  process.exit(1);
}
const script = JSON.parse(RALPH_FAKE_SCRIPT);
const [behaviour, detail] = RALPH_FAKE.split(" ");

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const place = { threadId: "s1", turnId: "u1" };
const notify = (method, params) => send({ method, params: { ...place, ...params } });
const waiting = new Map();
const steered = [];
let onSteer = () => {};
let requests = 0;

async function ask(method, params) {
  requests += 1;
  const id = requests;
  send({ method, id, params: { ...place, ...params } });
  return await new Promise((resolve) => waiting.set(id, resolve));
}

const say = (text) => notify("item/completed", { item: { type: "agentMessage", id: `m${requests}`, text } });
const complete = (turn) => notify("turn/completed", { turn: { id: "u1", error: null, ...turn } });

async function approve(item, method) {
  const id = `i${requests + 1}`;
  notify("item/started", { item: { id, ...item } });
  const { decision } = await ask(method, { itemId: id, ...(item.command && { command: item.command }) });
  const status = decision === "accept" ? "completed" : "declined";
  notify("item/completed", { item: { id, ...item, status } });
  return decision;
}

const answers = [];
const kinds = {
  say: (text) => say(text === "ANSWERS" ? answers.join(" ") : text),
  item(item) {
    notify("item/started", { item });
    notify("item/completed", { item });
  },
  async run(line) {
    const item = { type: "commandExecution", command: `/bin/bash -lc '${line}'` };
    answers.push(await approve(item, "item/commandExecution/requestApproval"));
  },
  async change(paths) {
    const item = { type: "fileChange", changes: paths.map((path) => ({ path })) };
    answers.push(await approve(item, "item/fileChange/requestApproval"));
  },
  request: async ([method, params]) => answers.push(JSON.stringify(await ask(method, params))),
  notify: ([method, params]) => notify(method, params),
  write(files) {
    for (const [name, text] of Object.entries(files)) writeFileSync(name, text);
  },
  async steered() {
    if (steered.length === 0) {
      await new Promise((resolve) => {
        onSteer = resolve;
      });
    }
    say(`heard: ${steered.join(", ")}`);
  },
  end: (end) => complete(end),
  hang: () => new Promise(() => setInterval(() => {}, 1000)),
};

async function take(step) {
  for (const [kind, value] of Object.entries(step)) await kinds[kind](value);
}

const answer = "All finished.\n<task-done>t-1</task-done>";
const total = {
  totalTokens: 19,
  inputTokens: 17,
  cachedInputTokens: 3,
  cacheWriteInputTokens: 4,
  outputTokens: 2,
};
const finish = () => {
  say(answer);
  notify("thread/tokenUsage/updated", { tokenUsage: { total, last: total, modelContextWindow: 1000 } });
  complete({ status: "completed" });
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
    const error = { message: "We are experiencing high demand.", codexErrorInfo: "serverOverloaded" };
    complete({ status: "failed", error });
    process.exitCode = 1;
  },
};

const thread = { thread: { id: "s1" }, model: "gpt-5.5" };
const on = {
  initialize: () => ({ userAgent: "fake" }),
  "thread/start": ({ model }) => ({ ...thread, ...(model && { model }) }),
  "turn/start": () => ({ turn: { id: "u1", status: "inProgress" } }),
  "turn/steer"({ input }) {
    steered.push(input[0].text);
    onSteer();
    return { turnId: "u1" };
  },
  "turn/interrupt": () => ({}),
};

async function turn({ input }) {
  if (RALPH_FAKE_RECORD) {
    const stdin = input.map(({ text }) => text).join("");
    const given = { argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), stdin };
    writeFileSync(RALPH_FAKE_RECORD, JSON.stringify(given));
  }
  if (!script.steps) return behaviours[behaviour]();
  for (const step of script.steps) await take(step);
}

for await (const line of createInterface({ input: process.stdin })) {
  if (script.record) appendFileSync(script.record, `${line}\n`);
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result ?? {});
  else if (id !== undefined) {
    const refused = script.refuse?.[method];
    send(refused ? { id, error: refused } : { id, result: on[method]?.(params) ?? {} });
    if (method === "turn/start" && !refused) void turn(params);
  }
}
