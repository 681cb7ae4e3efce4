import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentErrorKind } from "../../src/agents/agent.ts";
import { claudeStream } from "../../src/agents/claude-stream.ts";
import { readRecording } from "./read-recording.ts";

const folder = join(import.meta.dirname, "../fixtures/claude");

interface Expected {
  /** Exit code, or the signal it died by. */
  readonly exit: number | string;
  readonly kind: AgentErrorKind | null;
  readonly message?: string;
  readonly finalMessage: string;
  /** Fresh input, output, cache read, cache written. */
  readonly tokens: readonly [number, number, number, number] | null;
  readonly costUsd: number | null;
  readonly costBasis?: "measured" | "unknown" | null;
  readonly model?: string | null;
  readonly resetAt?: string;
}

const done = "All finished.\n<task-done>t-1</task-done>";
/** A session of two turns: one tool call, then the answer. */
const twoTurns: Expected = {
  exit: 0,
  kind: null,
  finalMessage: done,
  tokens: [201, 40, 100, 60],
  costUsd: 0.001458,
};
const oneTurn: Expected = {
  exit: 0,
  kind: null,
  finalMessage: "No sigil here at all.",
  tokens: [100, 20, 50, 30],
  costUsd: 0.0007275,
};
/** The API turned the first request down: nothing was said and nothing spent. */
const refused = { exit: 1, finalMessage: "", tokens: [0, 0, 0, 0], costUsd: 0 } as const;
const interrupted = {
  kind: "killed",
  message: "[ede_diagnostic] result_type=user",
  finalMessage: "",
  tokens: [100, 20, 50, 30],
  costUsd: 0.0007275,
} as const;
/** Killed before it could write its result. */
const cut = { finalMessage: "", tokens: null, costUsd: null, costBasis: null } as const;
const tooFast = "Request rejected (429) · This request would exceed your rate limit.";

const recordings: Readonly<Record<string, Expected>> = {
  "claude-2.1.197-success": twoTurns,
  "claude-asuser": twoTurns,
  "claude-ctx-agentsmd": twoTurns,
  "claude-ctx-bare": twoTurns,
  "claude-ctx-plain": twoTurns,
  "claude-ctx-safemode": twoTurns,
  "claude-ctx-setsrc": twoTurns,
  "claude-dontask": twoTurns,
  "claude-latest-quiet": twoTurns,
  "claude-leaddash2": twoTurns,
  "claude-mcp": twoTurns,
  "claude-mcp-2.1.197": twoTurns,
  "claude-mcp-bare": twoTurns,
  "claude-nopersist": twoTurns,
  "claude-proxy": { ...twoTurns, costUsd: 0.0021855 },
  "claude-proxy-quiet": twoTurns,
  "claude-sid": twoTurns,
  "claude-stdin": twoTurns,
  "claude-stdin-200k": twoTurns,
  "claude-stdin-and-arg": twoTurns,
  "claude-success": twoTurns,
  "claude-write": twoTurns,
  "claude-badmodel": { ...twoTurns, costUsd: 0.001924, costBasis: "unknown", model: "nosuchmodel" },
  "claude-json": { ...twoTurns, costUsd: 0.000962, model: null },
  "big-claude": { ...twoTurns, finalMessage: "a\u2028b\u2029c 😀 end <task-done>t-1</task-done>" },
  "claude-plain": oneTurn,
  "ctx-claude": oneTurn,
  "claude-resume": { ...oneTurn, finalMessage: done, tokens: [101, 20, 50, 30], costUsd: 0.0021885 },
  "claude-2.1.197-429": { ...refused, kind: "rate_limit", message: tooFast },
  "claude-429-0retries": { ...refused, kind: "rate_limit", message: tooFast },
  "claude-429ra": {
    ...cut,
    exit: "SIGKILL",
    kind: "rate_limit",
    message: "rate_limit (429), attempt 7 of 10",
  },
  "claude-usage-limit": { ...refused, kind: "rate_limit", message: "would exceed your account's rate limit" },
  "claude-sub-usage-limit": {
    ...refused,
    kind: "rate_limit",
    message: "You've hit your 5-hour limit · resets 6:20pm (UTC)",
    resetAt: "2026-11-20T18:20:00.000Z",
  },
  "claude-401": { ...refused, kind: "auth", message: "Invalid API key · Fix external API key" },
  "claude-sub-401": { ...refused, kind: "auth", message: "Not logged in · Please run /login" },
  "claude-noauth": {
    ...refused,
    kind: "auth",
    message: "Not logged in · Please run /login",
    model: "claude-opus-5-5",
  },
  "claude-500": { ...refused, kind: "overloaded", message: "API Error: 500 Internal server error." },
  "claude-disconnect": {
    exit: 1,
    kind: "network",
    message: "Connection dropped (ECONNRESET)",
    finalMessage: "",
    tokens: [300, 3, 150, 90],
    costUsd: 0.0016875,
  },
  "claude-latest-proxy": { ...cut, exit: "SIGKILL", kind: "network", message: "unknown, attempt 9 of 10" },
  "claude-maxturns": {
    exit: 1,
    kind: "max_turns",
    message: "Reached maximum number of turns (3)",
    finalMessage: "",
    tokens: [303, 60, 150, 90],
    costUsd: 0.0021915,
  },
  "claude-budget": {
    exit: 1,
    kind: "budget",
    message: "Reached maximum budget ($0.004)",
    finalMessage: "",
    tokens: [510, 100, 250, 150],
    costUsd: 0.00441,
  },
  "claude-maxtokens": {
    exit: 1,
    kind: "bad_output",
    message: "exceeded the 32000 output token maximum",
    finalMessage: done,
    tokens: [504, 100, 250, 150],
    costUsd: 0.0036495,
  },
  "claude-mcp-broken": { ...refused, kind: "crash", message: "[session_crash]", finalMessage: done },
  "claude-resume-missing": { ...refused, kind: "crash", message: "No conversation found", model: null },
  "claude-2.1.197-sigint": { ...interrupted, exit: 1 },
  "claude-sigint": { ...interrupted, exit: 0 },
  "orphan-claude-INT": { ...interrupted, exit: 0 },
  "claude-sigterm": { ...cut, exit: 143, kind: "killed", message: "SIGTERM" },
  "claude-sigterm-stream": { ...cut, exit: 143, kind: "killed", message: "SIGTERM" },
  "orphan-claude-TERM": { ...cut, exit: 143, kind: "killed", message: "SIGTERM" },
  "orphan-claude-KILL": { ...cut, exit: "SIGKILL", kind: "killed", message: "SIGKILL" },
  "claude-env": { ...cut, exit: "SIGKILL", kind: "killed", message: "SIGKILL" },
};

test("every recorded stream has its expectation", () => {
  expect(Object.keys(recordings).sort()).toEqual(
    readdirSync(folder)
      .map((name) => name.replace(/\.jsonl$/, ""))
      .sort(),
  );
});

test.each(Object.entries(recordings))("AGENT-2: %s", (name, expected) => {
  const session = readRecording(claudeStream, { file: join(folder, `${name}.jsonl`), exit: expected.exit });
  const { input, output, cacheRead, cacheWrite } = session.tokens ?? {};
  expect(session.error?.kind ?? null).toBe(expected.kind);
  expect(session.error?.message ?? "").toContain(expected.message ?? "");
  expect(session.error?.resetAt ?? null).toBe(expected.resetAt ?? null);
  expect(session.finalMessage).toBe(expected.finalMessage);
  expect(session.tokens && [input, output, cacheRead, cacheWrite]).toEqual(expected.tokens);
  if (expected.costUsd === null) expect(session.costUsd).toBeNull();
  else expect(session.costUsd).toBeCloseTo(expected.costUsd, 9);
  expect(session.costBasis).toBe(expected.costBasis === undefined ? "measured" : expected.costBasis);
  expect(session.model).toBe(expected.model === undefined ? "claude-sonnet-4-5" : expected.model);
  expect(session.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  expect(session.error?.kind === "auth").toBe(session.error?.hint?.includes("claude /login") ?? false);
});

const read = (lines: readonly object[], exit: number) => {
  const stream = claudeStream({
    onActivity: () => undefined,
    onFinished: () => undefined,
    now: () => new Date(),
  });
  for (const line of lines) stream.line?.(JSON.stringify(line));
  return { ...stream.reading(), exit };
};
const text = (words: string, more: object = {}) => ({
  type: "assistant",
  message: { id: "m", content: [{ type: "text", text: words }] },
  ...more,
});
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

test("denied tools are listed once each", () => {
  const denied = { type: "result", subtype: "success", is_error: false, result: "I could not." };
  const reading = read(
    [
      { type: "system", subtype: "permission_denied", tool_name: "Bash" },
      { ...denied, permission_denials: [{ tool_name: "Bash" }, { tool_name: "Write" }] },
    ],
    0,
  );
  expect(reading.permissionDenials).toEqual(["Bash", "Write"]);
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
  const stream = claudeStream({
    onActivity: () => undefined,
    onFinished: () => undefined,
    now: () => new Date(),
  });
  for (const line of odd) stream.line?.(line);
  expect(stream.reading().terminal).toBe("failed");
});
