import { expect, test } from "vitest";
import { claudeStream } from "../../src/agents/formats/claude-stream.ts";
import { silentHost } from "../fakes/session-host.ts";

const read = (lines: readonly object[], exit: number) => {
  const stream = claudeStream(silentHost());
  for (const line of lines) stream.line?.(JSON.stringify(line));
  return { ...stream.reading(), exit };
};
const text = (words: string, more: object = {}) => ({
  type: "assistant",
  message: { id: "m", content: [{ type: "text", text: words }] },
  ...more,
});
const answered = (result: string, more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  num_turns: 1,
  result,
  ...more,
});
const modelUsage = { m: { inputTokens: 10, outputTokens: 2, cacheReadInputTokens: 3, costUSD: 0.1 } };
const failed = (more: object) => ({ type: "result", subtype: "success", is_error: true, ...more });

test("LOOP-8: words about limits in the agent's work or in tool output are no limit", () => {
  const work = "The API said 429 rate limit reached, credit balance is too low, Not logged in.";
  const reading = read(
    [
      text(work),
      { type: "user", message: { content: [{ type: "tool_result", content: work }] } },
      { type: "result", subtype: "success", is_error: false, result: work },
    ],
    0,
  );
  expect(reading).toMatchObject({ terminal: "ok", failure: null, finalMessage: work });
});

test.each([
  [
    "credit",
    { api_error_status: 400, result: "Your credit balance is too low to access the Anthropic API." },
  ],
  ["credit", { api_error_status: 429, result: "You've reached your monthly spend limit." }],
  ["overloaded", { api_error_status: 529, result: "API Error: 529 Overloaded" }],
  ["not_found", { api_error_status: 404, result: "model: nosuch" }],
  ["crash", { api_error_status: 400, result: "API Error: 400 messages: text is empty" }],
])("LOOP-8: a failed result is told apart as %s", (kind, more) => {
  expect(read([failed(more)], 1).failure?.kind).toBe(kind);
});

test("LOOP-8: billing_error is out of credit although the status does not say so", () => {
  const error = text("Your card was declined", { error: "billing_error" });
  expect(read([error, failed({ result: "Your card was declined" })], 1).failure?.kind).toBe("credit");
});

test("a limit that only warned does not set the reset time of a later refusal", () => {
  const warning = { status: "allowed_warning", resetsAt: 1795198800 };
  const reading = read(
    [
      { type: "rate_limit_event", rate_limit_info: warning },
      failed({ api_error_status: 429, result: "429" }),
    ],
    1,
  );
  expect(reading.failure).toMatchObject({ kind: "rate_limit", resetAt: null });
});

test("a sub-agent's words and an API error told as a message are not the agent's last word", () => {
  const reading = read(
    [
      text("my own words"),
      text("a sub-agent's", { parent_tool_use_id: "toolu_1" }),
      text("API Error: 500", { error: "server_error" }),
      failed({ api_error_status: 500, result: "API Error: 500" }),
    ],
    1,
  );
  expect(reading.finalMessage).toBe("my own words");
});

const asks = (id: string, name: string, input: object) => ({
  type: "assistant",
  message: { id, content: [{ type: "tool_use", id, name, input }] },
});

test("AGENT-4: what was denied is told with what it was to do, once each", () => {
  const denial = { tool_name: "Bash", tool_use_id: "a", tool_input: { command: "npm install" } };
  const result = { type: "result", subtype: "success", is_error: false, result: "I could not." };
  const lines = [
    asks("a", "Bash", { command: "npm install" }),
    { type: "system", subtype: "permission_denied", tool_name: "Bash", tool_use_id: "a" },
    asks("b", "Write", { file_path: "/etc/hosts", content: "x" }),
    { type: "system", subtype: "permission_denied", tool_name: "Write", tool_use_id: "b" },
    { type: "system", subtype: "permission_denied", tool_name: "WebFetch", tool_use_id: "never-seen" },
  ];
  expect(read(lines, 0).permissionDenials).toEqual(["Bash(npm install)", "Write(/etc/hosts)", "WebFetch"]);
  const whole = [...lines, { ...result, permission_denials: [denial, denial] }];
  expect(read(whole, 0).permissionDenials).toEqual(["Bash(npm install)"]);
});

test("AGENT-4: of a thousand denials twenty are told", () => {
  const lines = Array.from({ length: 1000 }, (_, n) => [
    asks(`t${n}`, "Bash", { command: `rm ${n}` }),
    { type: "system", subtype: "permission_denied", tool_name: "Bash", tool_use_id: `t${n}` },
  ]).flat();
  const denials = read(lines, 0).permissionDenials;
  expect(denials).toHaveLength(20);
  expect(denials[19]).toBe("Bash(rm 19)");
});

test.each([
  [
    "context_full",
    { api_error_status: 413, result: "Request too large (max 32MB). Try with a smaller file." },
    null,
  ],
  ["context_full", { api_error_status: 400, result: "Prompt is too long" }, null],
  ["not_found", { result: "The model is gone" }, "model_not_found"],
  ["auth", { result: "Your organization does not allow this" }, "oauth_org_not_allowed"],
  ["overloaded", { result: "Try later" }, "overloaded"],
])("AGENT-2: %s by the class of the error", (kind, more, error) => {
  const told = error === null ? [] : [text("said", { error })];
  expect(read([...told, failed(more)], 1).failure?.kind).toBe(kind);
});

test("whatever a line holds, it is read without a throw", () => {
  const odd = [
    "null",
    "[]",
    "1",
    "{",
    '{"type":"result"}',
    '{"type":"assistant"}',
    '{"type":"__proto__"}',
    "\0",
  ];
  const stream = claudeStream(silentHost());
  for (const line of odd) stream.line?.(line);
  expect(stream.reading().terminal).toBe("failed");
});

test("AGENT-2: a session that ends in its second turn has no result, whatever the first one said", () => {
  const goesOn = { type: "assistant", message: { id: "m2", content: [{ type: "text", text: "Going on" }] } };
  const reading = read([text("Waiting."), answered("Waiting.", { modelUsage }), goesOn], 0);
  expect(reading).toMatchObject({ terminal: null, finalMessage: "Going on", waiting: false });
  expect(reading.tokens).toEqual({ input: 10, output: 2, cacheRead: 3, cacheWrite: 0 });
});

test("AGENT-2: a sub-agent's message after a result does not take the result back", () => {
  const reading = read([answered("All done."), text("still here", { parent_tool_use_id: "toolu_1" })], 0);
  expect(reading).toMatchObject({ terminal: "ok", finalMessage: "All done." });
});

test("AGENT-2: the tokens of every model count, and a crash after them does not lose them", () => {
  const two = { ...modelUsage, n: { inputTokens: 5, outputTokens: 1, cacheCreationInputTokens: 4 } };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const lines = [text("Waiting."), answered("Waiting.", { usage, modelUsage: two, total_cost_usd: 0.2 })];
  const tokens = { input: 15, output: 3, cacheRead: 3, cacheWrite: 4 };
  expect(read(lines, 0)).toMatchObject({ tokens, costUsd: 0.2, costSource: "measured" });
  const zero = { usage: { input_tokens: 0, output_tokens: 0 }, modelUsage: {}, total_cost_usd: 0 };
  const crash = { type: "result", subtype: "error_during_execution", is_error: true, num_turns: 0, ...zero };
  expect(read([...lines, crash], 1)).toMatchObject({ terminal: "failed", tokens, costUsd: 0.2 });
});
