import type { AgentErrorKind } from "../../src/agents/port/agent.ts";

export interface Expected {
  /** Exit code, or the signal it died by. */
  readonly exit: number | string;
  readonly kind: AgentErrorKind | null;
  readonly message?: string;
  readonly finalMessage: string;
  /** Fresh input, output, cache read, cache written. */
  readonly tokens: readonly [number, number, number, number] | null;
  readonly costUsd: number | null;
  readonly costSource?: "measured" | "guessed" | null;
  readonly model?: string | null;
  /** Null: a session that never began. */
  readonly session: string | null;
  /** `terminal_reason`, else `stop_reason`; null: it never ended by itself. */
  readonly stop?: string | null;
  readonly resetAt?: string;
  readonly denials?: readonly string[];
}

const done = "All finished.\n<task-done>t-1</task-done>";
/** A session of two turns: one tool call, then the answer. */
const twoTurns: Omit<Expected, "session"> = {
  stop: "completed",
  exit: 0,
  kind: null,
  finalMessage: done,
  tokens: [201, 40, 100, 60],
  costUsd: 0.001458,
};
const oneTurn: Omit<Expected, "session"> = {
  stop: "completed",
  exit: 0,
  kind: null,
  finalMessage: "No sigil here at all.",
  tokens: [100, 20, 50, 30],
  costUsd: 0.0007275,
};
/** The API turned the first request down: nothing was said and nothing spent. */
const refused = { stop: "api_error", exit: 1, finalMessage: "", tokens: [0, 0, 0, 0], costUsd: 0 } as const;
const interrupted = {
  stop: "aborted_tools",
  kind: "killed",
  message: "[ede_diagnostic] result_type=user",
  finalMessage: "",
  tokens: [100, 20, 50, 30],
  costUsd: 0.0007275,
} as const;
/** Killed before it could write its result. */
const cut = { stop: null, finalMessage: "", tokens: null, costUsd: null, costSource: null } as const;
const silent = { ...cut, session: null, exit: 1, model: null } as const;
const tooFast = "Request rejected (429) · This request would exceed your rate limit.";

/** Recorded sessions of Claude Code 2.1.197, 2.1.329 and 2.1.330 by file name, and what they were. */
export const claudeRecordings: Readonly<Record<string, Expected>> = {
  "claude-2.1.197-success": { session: "c1e40fd0", ...twoTurns },
  "claude-asuser": { session: "6226a581", ...twoTurns },
  "claude-ctx-agentsmd": { session: "1e65f8aa", ...twoTurns },
  "claude-ctx-bare": { session: "7d72fc3c", ...twoTurns },
  "claude-ctx-plain": { session: "42c2d403", ...twoTurns },
  "claude-ctx-safemode": { session: "cbdc5023", ...twoTurns },
  "claude-ctx-setsrc": { session: "bf0a700a", ...twoTurns },
  "claude-dontask": { session: "c45a8c42", ...twoTurns },
  "claude-latest-quiet": { session: "f308f573", ...twoTurns },
  "claude-leaddash2": { session: "82ece98d", ...twoTurns },
  "claude-mcp": { session: "99779ecb", ...twoTurns },
  "claude-mcp-2.1.197": { session: "da840b48", ...twoTurns },
  "claude-mcp-bare": { session: "d60a144f", ...twoTurns },
  "claude-nopersist": { session: "bb376a2c", ...twoTurns },
  // With a call for a title, which `usage` leaves out.
  "claude-proxy": { session: "c73c0422", ...twoTurns, tokens: [301, 60, 150, 90], costUsd: 0.0021855 },
  "claude-proxy-quiet": { session: "14268fb5", ...twoTurns },
  "claude-sid": { session: "11111111", ...twoTurns },
  "claude-stdin": { session: "47fd8335", ...twoTurns },
  "claude-stdin-200k": { session: "c27f5247", ...twoTurns },
  "claude-stdin-and-arg": { session: "c261c49a", ...twoTurns },
  "claude-success": { session: "5e9eb3e8", ...twoTurns },
  "claude-write": { session: "6cca44c1", ...twoTurns },
  "claude-badmodel": {
    session: "2a28d9a9",
    ...twoTurns,
    costUsd: 0.001924,
    costSource: "guessed",
    model: "nosuchmodel",
  },
  // Several results in a session: the last message counts, and the tokens of all.
  "claude-2.1.330-background": {
    session: "015f7754",
    ...twoTurns,
    finalMessage: "Final answer after background.",
    tokens: [300, 60, 150, 90],
    costUsd: 0.0021825,
  },
  "claude-2.1.330-no-states": {
    session: "f0e811b4",
    ...twoTurns,
    finalMessage: "Final answer after background.",
    tokens: [300, 60, 150, 90],
    costUsd: 0.0021825,
  },
  "claude-2.1.330-wake-up": {
    session: "c41f21ae",
    ...twoTurns,
    finalMessage: "Final answer after wake-up.",
    tokens: [300, 60, 150, 90],
    costUsd: 0.0021825,
  },
  "claude-2.1.330-sub-agent": {
    session: "60b4a8ca",
    ...twoTurns,
    finalMessage: "Final answer after agent.",
    tokens: [500, 100, 250, 150],
    costUsd: 0.0036375,
  },
  "claude-2.1.197-sub-agent": {
    session: "0da2d58d",
    ...twoTurns,
    finalMessage: "Final answer after agent.",
    tokens: [500, 100, 250, 150],
    costUsd: 0.0036375,
  },
  // This version ends background commands itself, five seconds after the result.
  "claude-2.1.197-background": {
    session: "7c5b7399",
    ...twoTurns,
    finalMessage: "Waiting for the background command.",
    tokens: [200, 40, 100, 60],
    costUsd: 0.001455,
  },
  "claude-2.1.330-denials": {
    session: "47d5f5f9",
    ...twoTurns,
    finalMessage: "Final.",
    tokens: [500, 100, 250, 150],
    costUsd: 0.0036375,
    denials: ["Bash(npm install a)", "Bash(npm install b)"],
  },
  // An answer, then a compaction, whose result has no turns and no text.
  "claude-2.1.330-compaction": {
    session: "f7cf1336",
    ...twoTurns,
    finalMessage: "First answer.",
    tokens: [200, 40, 100, 60],
    costUsd: 0.001455,
    stop: null,
  },
  "claude-json": { session: "8a7b48ac", ...twoTurns, costUsd: 0.000962, model: "claude-sonnet-5-5" },
  "big-claude": {
    session: "330dfef5",
    ...twoTurns,
    finalMessage: "a\u2028b\u2029c 😀 end <task-done>t-1</task-done>",
  },
  "claude-plain": { session: "8d1a90c6", ...oneTurn },
  "ctx-claude": { session: "ce2b0c1b", ...oneTurn },
  "claude-resume": {
    session: "11111111",
    ...oneTurn,
    finalMessage: done,
    // With what the resumed session had spent before, like the cost.
    tokens: [302, 60, 150, 90],
    costUsd: 0.0021885,
  },
  "claude-2.1.197-429": {
    session: "85e737a9",
    ...refused,
    kind: "rate_limit",
    message: tooFast,
    stop: "completed",
  },
  "claude-429-0retries": { session: "aca9a914", ...refused, kind: "rate_limit", message: tooFast },
  "claude-429ra": {
    session: "4f908e39",
    ...cut,
    exit: "SIGKILL",
    kind: "rate_limit",
    message: "rate_limit (429), attempt 7 of 10",
  },
  "claude-usage-limit": {
    session: "feaf72fa",
    ...refused,
    kind: "rate_limit",
    message: "would exceed your account's rate limit",
  },
  "claude-sub-usage-limit": {
    session: "25a9a00a",
    ...refused,
    kind: "rate_limit",
    message: "You've hit your 5-hour limit · resets 6:20pm (UTC)",
    resetAt: "2026-11-20T18:20:00.000Z",
  },
  "claude-401": {
    session: "376a2e67",
    ...refused,
    kind: "auth",
    message: "Invalid API key · Fix external API key",
  },
  "claude-sub-401": {
    session: "14de70aa",
    ...refused,
    kind: "auth",
    message: "Not logged in · Please run /login",
  },
  "claude-noauth": {
    session: "b9730663",
    ...refused,
    kind: "auth",
    message: "Not logged in · Please run /login",
    model: "claude-opus-5-5",
  },
  "claude-500": {
    session: "0adea3d0",
    ...refused,
    kind: "overloaded",
    message: "API Error: 500 Internal server error.",
  },
  "claude-disconnect": {
    session: "c72bd39d",
    stop: "api_error",
    exit: 1,
    kind: "network",
    message: "Connection dropped (ECONNRESET)",
    finalMessage: "",
    tokens: [300, 27, 150, 90],
    costUsd: 0.0016875,
  },
  "claude-latest-proxy": {
    session: "257f24bc",
    ...cut,
    exit: "SIGKILL",
    kind: "network",
    message: "unknown, attempt 9 of 10",
  },
  "claude-maxturns": {
    session: "9cc53e77",
    stop: "max_turns",
    exit: 1,
    kind: "max_turns",
    message: "Reached maximum number of turns (3)",
    finalMessage: "",
    tokens: [303, 60, 150, 90],
    costUsd: 0.0021915,
  },
  "claude-budget": {
    session: "53145b2a",
    stop: "budget_exhausted",
    exit: 1,
    kind: "budget",
    message: "Reached maximum budget ($0.004)",
    finalMessage: "",
    tokens: [615, 120, 300, 180],
    costUsd: 0.00441,
  },
  "claude-maxtokens": {
    session: "fcfd3d06",
    stop: "api_error",
    exit: 1,
    kind: "bad_output",
    message: "exceeded the 32000 output token maximum",
    finalMessage: done,
    tokens: [504, 100, 250, 150],
    costUsd: 0.0036495,
  },
  "claude-mcp-broken": {
    session: "f0519d99",
    ...refused,
    kind: "crash",
    message: "[session_crash]",
    finalMessage: done,
    stop: null,
    tokens: null,
    costUsd: null,
    costSource: null,
  },
  "claude-resume-missing": {
    session: "99999999",
    ...refused,
    kind: "unusable",
    message: "No conversation found",
    model: null,
    stop: null,
  },
  "claude-2.1.197-sigint": { session: "b9273c48", ...interrupted, exit: 1 },
  "claude-sigint": { session: "17129a0b", ...interrupted, exit: 0 },
  "orphan-claude-INT": { session: "a2d40287", ...interrupted, exit: 0 },
  "claude-sigterm": { session: "053bcf6c", ...cut, exit: 143, kind: "killed", message: "SIGTERM" },
  "claude-sigterm-stream": { session: "b04855e1", ...cut, exit: 143, kind: "killed", message: "SIGTERM" },
  "orphan-claude-TERM": { session: "deb9c2d2", ...cut, exit: 143, kind: "killed", message: "SIGTERM" },
  "orphan-claude-KILL": { session: "23d869dd", ...cut, exit: "SIGKILL", kind: "killed", message: "SIGKILL" },
  // Left before anything was said on stdout.
  "claude-IS_SANDBOX-yes": { ...silent, kind: "permission", message: "cannot be used with root/sudo" },
  "claude-root-skip": { ...silent, kind: "permission", message: "cannot be used with root/sudo" },
  "claude-root-bypassmode": { ...silent, kind: "permission", message: "cannot be used with root/sudo" },
  "claude-leaddash": { ...silent, kind: "unusable", message: "unknown option '--- dash prompt'" },
  "claude-stdin-12m": { ...silent, kind: "prompt_too_long", message: "piped stdin input exceeds 10MB" },
  "claude-stdin-empty": { ...silent, kind: "unusable", message: "Input must be provided" },
  "claude-env": { session: "eb37a4ed", ...cut, exit: "SIGKILL", kind: "killed", message: "SIGKILL" },
};
