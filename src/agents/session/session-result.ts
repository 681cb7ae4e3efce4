import { clip, clipCopy } from "../../base/text.ts";
import type { ProcessResult } from "../../process/run-process.ts";
import { redactedText, safeLine } from "../../trust/safe-text.ts";
import type { AgentActivity, AgentError, AgentRequest, AgentResult } from "../port/agent.ts";
import type { Reading, SessionPlan } from "../port/session-stream.ts";
import { limitInMessage, sessionError } from "./session-error.ts";

const activityChars = 200;
const errorChars = 2000;
const denialChars = 200;
const nameChars = 200;

/** More is not the cost of one session: it would use up any budget. */
export const maxSessionUsd = 10_000;

interface EndedSession {
  readonly reading: Reading;
  /** The error with which the stream ended the session. */
  readonly failure: AgentError | null;
  readonly ran: ProcessResult;
  readonly stderr: string;
  readonly loadedSkills: readonly string[];
}

/** Returns what a session came to, every text of it redacted. */
export function sessionResult(request: AgentRequest, plan: SessionPlan, ended: EndedSession): AgentResult {
  const { reading, ran } = ended;
  const { timeoutMs, idleTimeoutMs } = request;
  const { agent, reader } = plan;
  const program = plan.command.argv[0];
  const facts = { ...ended, agent, program, reader, timeoutMs, idleTimeoutMs, now: new Date() };
  const error = sessionError(facts);
  const onlyLimitText = error ? null : limitInMessage(facts);
  return {
    finalMessage: redactedText(reading.finalMessage),
    error: error && forReports(error),
    onlyLimitText: onlyLimitText && forReports(onlyLimitText),
    model: named(reading.model),
    ...spentBy(reading),
    compactions: reading.compactions,
    durationMs: ran.durationMs,
    sessionId: named(reading.sessionId),
    stopReason: named(reading.stopReason),
    permissionDenials: reading.permissionDenials.map(denialToDisplay),
    exitCode: ran.exitCode,
    signal: ran.signal,
    stderrTail: redactedText(ended.stderr),
    loadedSkills: ended.loadedSkills,
    survivorsKilled: ran.survivorsKilled,
    warnings: absurdCost(reading),
  };
}

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

/** Returns a name or an id that the agent stated, in a length that can be stored. */
function named(name: string | null): string | null {
  return name === null ? null : clipCopy(name, nameChars);
}

/** Returns a warning about a stated cost that is too high to count. */
function absurdCost({ costUsd }: Reading): readonly string[] {
  if (costUsd === null || costUsd <= maxSessionUsd) return [];
  return [`the agent stated a cost of $${costUsd.toPrecision(3)} for one session, which does not count`];
}

/**
 * Returns the figures of a session. One that cannot be true (negative, infinite) counts as unknown: it would be taken
 * off what other sessions cost.
 */
function spentBy(reading: Reading): Pick<Reading, SpentField> {
  const { tokens, costUsd, costSource, contextUsed, contextSize } = reading;
  const isPrice = costUsd !== null && costUsd >= 0 && costUsd <= maxSessionUsd;
  const isCount = (amount: number): boolean => amount >= 0 && amount <= Number.MAX_SAFE_INTEGER;
  const count = (amount: number | null): number | null =>
    amount !== null && isCount(amount) ? amount : null;
  return {
    tokens: tokens !== null && Object.values(tokens).every(isCount) ? tokens : null,
    costUsd: isPrice ? costUsd : null,
    costSource: isPrice ? costSource : null,
    contextUsed: count(contextUsed),
    contextSize: count(contextSize),
  };
}

type SpentField = "tokens" | "costUsd" | "costSource" | "contextUsed" | "contextSize";

/** Returns an activity in one short line, redacted and without control characters. */
export function toDisplay({ kind, text }: AgentActivity): AgentActivity {
  // Cut far beyond what is shown, so that no secret is cut and missed; a tool's input may have megabytes.
  return { kind, text: safeLine(text.slice(0, activityChars * 40), activityChars) };
}

function forReports(error: AgentError): AgentError {
  return { ...error, message: clip(redactedText(error.message), errorChars) };
}

function denialToDisplay(denial: string): string {
  return safeLine(denial.slice(0, denialChars * 40), denialChars);
}
