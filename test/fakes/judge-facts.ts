/** Facts of an attempt as `judge` gets them: a claimed, changed, verified one, with whatever a test changes. */
import type { AgentErrorKind, AgentResult } from "../../src/agents/port/agent.ts";
import type { JudgeFacts } from "../../src/outcome/judge.ts";
import type { CheckResult, Claims, WorkDone } from "../../src/outcome/outcome.ts";
import { readClaims } from "../../src/outcome/read-claims.ts";

export const result = (changes: Partial<AgentResult> = {}): AgentResult => ({
  finalMessage: "",
  error: null,
  onlyLimitText: null,
  model: "claude-sonnet-4-5",
  tokens: { input: 10, output: 20, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0.25,
  costSource: "measured",
  contextUsed: null,
  contextSize: null,
  compactions: null,
  durationMs: 900,
  sessionId: null,
  stopReason: null,
  permissionDenials: [],
  exitCode: 0,
  signal: null,
  stderrTail: "",
  survivorsKilled: 0,
  ...changes,
});
export const failure = (
  kind: AgentErrorKind,
  message: string,
  changes: Partial<AgentResult> = {},
): AgentResult => result({ error: { kind, message, resetAt: null, hint: null }, ...changes });
export const work = (changes: Partial<WorkDone> = {}): WorkDone => ({
  changedPaths: ["a.ts"],
  commits: [],
  files: ["a.ts"],
  changed: true,
  warnings: [],
  usersFiles: [],
  forbidden: null,
  ...changes,
});
export const check = (changes: Partial<CheckResult> = {}): CheckResult => ({
  command: "npm test",
  passed: true,
  reason: "",
  exitCode: 0,
  durationMs: 5,
  excerpt: "",
  cannotRun: null,
  ...changes,
});
export const failedCheck: CheckResult = check({
  passed: false,
  reason: "exit code 1",
  exitCode: 1,
  excerpt: "AssertionError: 1 != 2",
});
export const says = (text: string): Claims => readClaims(text, "t-1");
export const done: Claims = says("<task-done>t-1</task-done>");
export const facts = (changes: Partial<JudgeFacts> = {}): JudgeFacts => ({
  taskId: "t-1",
  runId: "r-1",
  iterationId: "i-1",
  attempt: 2,
  agent: "claude",
  model: "sonnet",
  startedAt: "2026-01-02T03:04:05.000Z",
  durationMs: 1000,
  result: result(),
  claims: done,
  checks: [check()],
  work: work(),
  configured: true,
  completion: "signal",
  allowNoChange: false,
  ...changes,
});
