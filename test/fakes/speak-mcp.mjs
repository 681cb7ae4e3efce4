// Speaks the Model Context Protocol to `ralph mcp` as an agent's own program would: starts it in the current folder, calls
// its tools one after another, and writes the answers to FILE as JSON.
// Usage: node speak-mcp.mjs RALPH_BIN FILE '[["tool", {arguments}], …]'
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [bin, file, calls] = process.argv.slice(2);
const server = spawn(process.execPath, [bin, "mcp"], { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
let id = 0;
const request = async (method, params) => {
  id += 1;
  send({ id, method, params });
  const { value, done } = await lines.next();
  if (done) throw new Error(`ralph mcp ended before it answered ${method}`);
  const answer = JSON.parse(value);
  if (answer.id !== id) throw new Error(`not the answer to ${method}: ${value}`);
  return answer.result;
};
await request("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "speak-mcp", version: "1" },
});
send({ method: "notifications/initialized" });
const answers = [];
for (const [name, args] of JSON.parse(calls)) {
  const { content, isError = false } = await request("tools/call", { name, arguments: args });
  answers.push({ name, isError, text: content[0].text });
}
server.stdin.end();
const code = await new Promise((resolve) => server.once("exit", (exit) => resolve(exit)));
writeFileSync(file, JSON.stringify({ answers, code }));
