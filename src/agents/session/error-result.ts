import type { AgentError, AgentResult } from "../port/agent.ts";

/** The result of a session that was not started. */
export function errorResult(error: AgentError): AgentResult {
  return {
    finalMessage: "",
    error,
    onlyLimitText: null,
    model: null,
    tokens: null,
    costUsd: null,
    costSource: null,
    contextUsed: null,
    contextSize: null,
    compactions: null,
    durationMs: 0,
    sessionId: null,
    stopReason: null,
    permissionDenials: [],
    exitCode: null,
    signal: null,
    stderrTail: "",
    survivorsKilled: 0,
  };
}
