import { entryNamed, type JsonObject } from "../../base/json.ts";
import { clipCopy } from "../../base/text.ts";
import type { AgentError, AgentErrorKind, AgentTokens } from "../agent.ts";
import {
  defaultStop,
  emptyReading,
  type ProgramExit,
  type Reading,
  type SessionHost,
  type SessionStream,
  type StreamReader,
} from "../session/session-stream.ts";
import { apiFailure, plainMessage } from "./api-failure.ts";
import { commonHints } from "./common-hints.ts";
import { explainOutput } from "./explain-output.ts";
import { amountOf, number, object, readEvent, text } from "./json-events.ts";
import { loggedCall, loggedReason, opencodeLogEnv } from "./opencode-log.ts";
import { retryWatch } from "./retry-watch.ts";
import { addCost, addTokens } from "./spending.ts";
import { startFailure, startWords } from "./start-failure.ts";

const hints: StreamReader["hints"] = {
  ...commonHints,
  auth: "Log in with `opencode auth login`, or check the provider's API key.",
  permission: "Allow it with `permission` in opencode's configuration.",
};

/** opencode with `run --format json`. Its tools run on after every signal: ralph ends them itself. */
export const opencodeFormat: StreamReader = {
  open: opencodeStream,
  explain: (words) => explainOutput(words, hints),
  endsWithEvent: false,
  stop: { ...defaultStop, signal: "SIGTERM" },
  hints,
  listsSkills: ".agents/skills",
  env: opencodeLogEnv,
};

const byName: Readonly<Record<string, AgentErrorKind>> = {
  ProviderAuthError: "auth",
  ProviderModelNotFoundError: "not_found",
  ContextOverflowError: "context_full",
  MessageOutputLengthError: "bad_output",
  MessageAbortedError: "killed",
};
/** Why a step ended, where that is not the end of the work. */
const unfinished: Readonly<Record<string, AgentErrorKind>> = { length: "bad_output", error: "crash" };
const rejected = /rejected permission|permission (?:was )?(?:denied|rejected)|user rejected/i;
const maxDenials = 20;
const maxReasons = 50;
const maxKeptChars = 16 * 1024;

interface State {
  reading: Reading;
  /** Any event arrived: the model answered at least once. */
  answered: boolean;
  /** A step began. */
  begun: boolean;
  /** A step began and did not finish. */
  inStep: boolean;
  /** The error of the last `error` event. */
  error: JsonObject | null;
  /** The reasons that the log states, by the reference of their error. */
  readonly reasons: Map<string, string>;
  readonly denials: Set<string>;
}

/**
 * Reads `opencode run --format json`, which has no terminal event: the last step must have ended with `stop`. Limits and
 * overload are retried without an event: only the log on stderr states them.
 */
export function opencodeStream(host: SessionHost): SessionStream {
  const { onActivity, now } = host;
  const state: State = {
    reading: emptyReading,
    answered: false,
    begun: false,
    inStep: false,
    error: null,
    reasons: new Map(),
    denials: new Set(),
  };
  const retries = retryWatch(host);
  const stderr = startWords();
  const update = (changes: Partial<Reading>): void => {
    state.reading = { ...state.reading, ...changes };
  };
  const on: Readonly<Record<string, (event: JsonObject) => void>> = {
    step_start(event) {
      state.error = null;
      update({ terminal: null, failure: null, sessionId: text(event["sessionID"]) });
      // The step before did not finish: opencode repeats it, with its tools, when the stream was cut.
      if (state.inStep) retries.retry(cutStep);
      state.inStep = true;
      state.begun = true;
    },
    tool_use: (event) => takeTool(state, object(event["part"]), onActivity),
    text(event) {
      retries.progress();
      const finalMessage = text(object(event["part"])["text"]) ?? "";
      update({ finalMessage });
      onActivity({ kind: "text", text: finalMessage });
    },
    step_finish(event) {
      retries.progress();
      state.inStep = false;
      update(stepOf(state.reading, object(event["part"])));
    },
    error(event) {
      state.error = object(event["error"]);
      update({ terminal: "failed", failure: failureOf(state, now()) });
    },
  };
  return {
    line(line) {
      const before = state.reading;
      readEvent(line, on);
      state.answered ||= state.reading !== before;
    },
    errorLine(line) {
      const call = loggedCall(line);
      const failed = call && apiFailure(call.words, { status: call.status, hints, now: now() });
      const reason = loggedReason(line);
      if (failed) retries.retry(failed);
      else if (reason) keepReason(state.reasons, reason);
      else stderr.take(line);
    },
    ended(exit) {
      // The log may state the reason after the event.
      if (state.reading.terminal === "failed" && state.error) update({ failure: failureOf(state, now()) });
      if (state.reading.terminal !== null || retries.current() !== null) return;
      if (!state.answered && (exit.overdue || exit.signal === "SIGKILL"))
        return update({ retrying: unanswered });
      const failure = endOf(state, exit, () => startFailure(stderr.lines(), { hints, now: now() }));
      if (failure) update({ terminal: "failed", failure });
    },
    reading: () => ({
      ...state.reading,
      retrying: retries.current() ?? state.reading.retrying,
      permissionDenials: [...state.denials],
    }),
  };
}

const cutStep: AgentError = {
  kind: "network",
  message: "the model's answer was cut off; opencode repeated the step",
  resetAt: null,
  hint: null,
};

const unanswered: AgentError = {
  kind: "rate_limit",
  message: "opencode got no answer from the model; it retries limits and overload without a message",
  resetAt: null,
  hint: null,
};

/** Keeps the latest reasons: an event may name any of them by its reference. */
function keepReason(reasons: State["reasons"], { ref, words }: { ref: string; words: string }): void {
  reasons.set(clipCopy(ref, maxKeptChars), clipCopy(words, maxKeptChars));
  for (const oldest of reasons.keys()) if (reasons.size > maxReasons) reasons.delete(oldest);
}

function takeTool(state: State, part: JsonObject, onActivity: SessionHost["onActivity"]): void {
  const use = object(part["state"]);
  const input = object(use["input"]);
  const action = ["command", "filePath", "path", "pattern", "name"]
    .map((key) => text(input[key]))
    .find((value) => value !== null);
  const tool = text(part["tool"]) ?? "a tool";
  onActivity({ kind: "tool", text: action ? `${tool} ${action}` : tool });
  state.reading = { ...state.reading };
  const isDenied = use["status"] === "error" && rejected.test(text(use["error"]) ?? "");
  if (isDenied && state.denials.size < maxDenials)
    state.denials.add(clipCopy(action ? `${tool}(${action})` : tool, maxKeptChars));
}

function stepOf(reading: Reading, part: JsonObject): Partial<Reading> {
  const reason = text(part["reason"]) ?? "";
  const step = tokensOf(object(part["tokens"]));
  const cost = number(part["cost"]);
  const kind = entryNamed(unfinished, reason);
  const message = kind === "bad_output" ? "the model's answer reached its maximum length" : "the step failed";
  return {
    stopReason: reason === "" ? null : reason,
    terminal: kind ? "failed" : reason === "tool-calls" ? null : "ok",
    failure: kind ? { kind, message, resetAt: null, hint: null } : null,
    tokens: addTokens(reading.tokens, step),
    contextUsed: step.input + step.cacheRead + step.cacheWrite,
    ...addCost(reading, cost),
  };
}

function tokensOf(tokens: JsonObject): AgentTokens {
  const cache = object(tokens["cache"]);
  return {
    input: amountOf(tokens["input"]),
    output: amountOf(tokens["output"]) + amountOf(tokens["reasoning"]),
    cacheRead: amountOf(cache["read"]),
    cacheWrite: amountOf(cache["write"]),
  };
}

function failureOf({ error, reasons, begun }: State, now: Date): AgentError {
  const name = text(error?.["name"]) ?? "";
  const data = object(error?.["data"]);
  const reason = reasons.get(text(data["ref"]) ?? "");
  const status = number(data["statusCode"]);
  const words = [reason ?? text(data["message"]), text(data["responseBody"])].filter((part) => part !== null);
  const facts = { kind: entryNamed(byName, name), status, hints, now };
  const failure = { ...apiFailure(words.join(" ") || name, facts), message: plainMessage(words[0] ?? name) };
  // Without a cause before the first step: opencode refused to start.
  const isStart = failure.kind === "crash" && name === "UnknownError" && !begun;
  return isStart ? { ...failure, kind: "unusable", hint: hints.unusable ?? null } : failure;
}

/** Returns why the program ended without a last event; null if only its exit shows it. */
function endOf(state: State, exit: ProgramExit, startError: () => AgentError | null): AgentError | null {
  const [denied] = state.denials;
  if (exit.exitCode === 0 && denied !== undefined) {
    const message = `opencode ended because it was not allowed: ${denied}`;
    return { kind: "permission", message, resetAt: null, hint: hints.permission ?? null };
  }
  if (state.answered || exit.exitCode === 0 || exit.exitCode === null) return null;
  return startError();
}
