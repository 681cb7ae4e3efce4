import { isAbsolute } from "node:path";
import { formatDuration } from "../../base/duration.ts";
import { findProgram } from "../../process/find-program.ts";
import type { ProcessResult } from "../../process/run-process.ts";
import type { AgentError, AgentErrorKind } from "../port/agent.ts";
import type { Reading, StreamReader } from "../port/session-stream.ts";

export interface SessionFacts {
  readonly agent: string;
  /** For messages: the program's name. */
  readonly program: string;
  readonly reading: Reading;
  /** The error with which the stream ended the session; null: it did not. */
  readonly failure: AgentError | null;
  readonly ran: ProcessResult;
  readonly stderr: string;
  readonly timeoutMs: number | null;
  readonly idleTimeoutMs: number | null;
  readonly reader: Pick<StreamReader, "explain" | "endsWithEvent">;
  readonly now: Date;
}

/**
 * Returns null if all facts agree that the session ended well: the terminal event arrived, it was not an error, and the
 * exit code is 0 (or the agent had to be stopped after its result). Otherwise returns the first cause.
 */
export function sessionError(facts: SessionFacts): AgentError | null {
  const { reading, ran } = facts;
  const { ended } = ran;
  if (ended === "spawn-failed") return startError(facts);
  if (ended === "cancelled") return describeKind("cancelled", "stopped by request");
  if (facts.failure) return facts.failure;
  if (ended === "timeout" || ended === "idle") return reading.retrying ?? timeoutError(facts, ended);
  if (reading.terminal === "failed") return reading.failure ?? describeKind("crash", stderrEnd(facts));
  const good = ran.exitCode === 0 || ended === "lingered";
  if (reading.terminal === "ok" && good) return null;
  return reading.retrying ?? errorWithoutResult(facts);
}

/**
 * Returns the limit if the final message of a session without an error is nothing but a limit text: it stopped the agent
 * only if the agent changed nothing. Null if the message says anything else, or if the model answered and no event states
 * a limit: then the words are the model's, such as a quote.
 */
export function limitInMessage({
  reading,
  reader,
  now,
}: Pick<SessionFacts, "reading" | "reader" | "now">): AgentError | null {
  const refusal = reader.explain({ stderr: "", finalMessage: reading.finalMessage, isFinal: true, now });
  const limit = refusal && withStated(refusal, reading);
  const isOwn = ownWords.test(reading.finalMessage?.trim() ?? "");
  return limit?.byWords && hasSpent(reading) && !isOwn ? null : limit;
}

/** The form in which Claude Code itself states a limit, with its end in seconds; no model writes it unasked. */
const ownWords = /^[^\n|]{0,80}limit reached\|\d{10,13}$/;

function hasSpent({ tokens, costUsd }: Reading): boolean {
  const { input, output } = tokens ?? { input: 0, output: 0 };
  return input + output > 0 || (costUsd ?? 0) > 0;
}

/** Prefers the limit stated by the agent's events, which are more exact than its words. */
function withStated(refusal: AgentError, { statedLimit }: Reading): AgentError {
  if (refusal.kind !== "rate_limit" || statedLimit === null) return refusal;
  const { resetAt, limitedModel } = statedLimit;
  return {
    ...refusal,
    resetAt: resetAt ?? refusal.resetAt,
    limitedModel: limitedModel ?? refusal.limitedModel ?? null,
    byWords: false,
  };
}

function errorWithoutResult(facts: SessionFacts): AgentError {
  const { reading, ran, stderr, program, now } = facts;
  // After an agent's last event, its stderr does not explain its end.
  const isFinal = reading.terminal !== null && facts.reader.endsWithEvent;
  const words = { stderr: isFinal ? "" : stderr, finalMessage: reading.finalMessage, isFinal, now };
  const explained = facts.reader.explain(words);
  if (explained) return withStated(explained, reading);
  const signal = ran.signal ?? signalOf(ran.exitCode);
  if (signal) return describeKind("killed", `${program} was killed by ${signal}`);
  if (ran.exitCode !== 0) return describeKind("crash", stderrEnd(facts));
  return describeKind("bad_output", `${program} ended with exit code 0 but gave no result`);
}

/** Decodes 128 + n, by which shells and agents report a signal; sessions are stopped by these three. */
function signalOf(exitCode: number | null): string | undefined {
  return { 130: "SIGINT", 137: "SIGKILL", 143: "SIGTERM" }[exitCode ?? 0];
}

function startError({ agent, program, ran }: SessionFacts): AgentError {
  const message = ran.spawnError ?? `${program} could not be started`;
  if (!message.startsWith("ENOENT")) return describeKind("crash", `cannot start ${program}: ${message}`);
  return notFound(agent, program);
}

/** Returns the error of a session whose program is not there; null: it is, or the project's verification may still install it. */
export function missingProgram(
  agent: string,
  program: string,
  place: Parameters<typeof findProgram>[1],
): AgentError | null {
  const isOfProject = /[/\\]/.test(program) && !isAbsolute(program);
  return isOfProject || findProgram(program, place) ? null : notFound(agent, program);
}

function notFound(agent: string, program: string): AgentError {
  const hint = `Install it, put it on PATH, or set it in the configuration (agents.${agent}).`;
  return { ...describeKind("not_found", `${program} was not found, or is not executable`), hint };
}

function timeoutError(
  { program, reading, timeoutMs, idleTimeoutMs }: SessionFacts,
  kind: "timeout" | "idle",
): AgentError {
  if (kind === "timeout") {
    const why = reading.waiting ? " while it waited for background work" : "";
    return describeKind(kind, `${program} was stopped after ${formatDuration(timeoutMs ?? 0)}${why}`);
  }
  const message = `${program} was stopped after ${formatDuration(idleTimeoutMs ?? 0)} without output`;
  const hint = "If it may work that long in silence, raise limits.idleTimeout (--idle-timeout).";
  return { ...describeKind(kind, message), hint };
}

function stderrEnd({ program, ran, stderr }: SessionFacts): string {
  const words = lastWords(stderr).join("\n");
  const end = ran.signal ? `was killed by ${ran.signal}` : `ended with exit code ${ran.exitCode}`;
  return words === "" ? `${program} ${end}` : `${program} ${end}: ${words}`;
}

const frame = /^\s+at .+:\d+:\d+\)?$|^\s*\^+\s*$|^Node\.js v[\d.]+$/;
const thrown = /^(?:Uncaught )?(?:\w+\.)*\w*(?:Error|Exception)\b/;

/** Returns the last lines, from the error on that ended the program if they name one, without its stack. */
function lastWords(stderr: string): readonly string[] {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !frame.test(line));
  const last = lines.slice(-5);
  const error = last.findLastIndex((line) => thrown.test(line));
  return error < 0 ? last : last.slice(error);
}

function describeKind(kind: AgentErrorKind, message: string): AgentError {
  return { kind, message, resetAt: null, hint: null };
}
