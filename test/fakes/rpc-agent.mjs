// An agent that speaks JSON-RPC on stdio, a message a line. It answers `start`, asks for a permission while it works on
// `prompt`, takes `steer` meanwhile, and answers `prompt` when it got one. It exits at the end of its input.
// RPC_AGENT: "" · "stay" (ignores the end of its input) · "retry" (never answers; reports retries on stderr).
import { createInterface } from "node:readline";

const mode = process.env.RPC_AGENT ?? "";
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const steered = [];
let prompt = null;
let allowed = null;

function finish() {
  if (!prompt || allowed === null || steered.length === 0) return;
  const text = `${prompt.params.text}; ${allowed}; ${steered.join(", ")}`;
  send({ id: prompt.id, result: { stopReason: "end_turn", text } });
}

const on = {
  start: ({ id }) => send({ id, result: { model: "m1" } }),
  prompt(message) {
    prompt = message;
    if (mode === "retry") {
      setInterval(() => process.stderr.write("Attempt failed with status 429. Retrying...\n"), 50);
      return;
    }
    send({ method: "update", params: { tool: "npm install" } });
    send({ id: "p1", method: "permission", params: { tool: "npm install" } });
  },
  steer({ id, params }) {
    steered.push(params.text);
    send({ id, result: {} });
    finish();
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === "p1") {
    allowed = message.result.decision;
    finish();
  } else on[message.method]?.(message);
}
if (mode === "stay") setInterval(() => {}, 1000);
