import { entryNamed, type JsonObject } from "../../base/json.ts";
import { clipCopy } from "../../base/text.ts";
import type { AgentError, AgentErrorKind, AgentTokens } from "../agent.ts";
import {
  defaultStop,
  emptyReading,
  endOfMessage,
  type ProgramExit,
  type Reading,
  type SessionHost,
  type SessionStream,
  type StreamReader,
  withPart,
} from "../session/session-stream.ts";
import { apiFailure } from "./api-failure.ts";
import { commonHints } from "./common-hints.ts";
import { explainOutput } from "./explain-output.ts";
import { amountOf, number, object, readEvent, text } from "./json-events.ts";
import { retryWatch } from "./retry-watch.ts";
import { startFailure, startWords } from "./start-failure.ts";

const hints: StreamReader["hints"] = {
  ...commonHints,
  auth: "Log in by starting `gemini` once in a terminal, or check GEMINI_API_KEY.",
  permission: "Trust the folder (`--skip-trust`) and choose an approval mode in agents.command.argv.",
};

/** Gemini CLI with `--output-format stream-json`. */
export const geminiFormat: StreamReader = {
  open: geminiStream,
  explain: (words) => explainOutput(words, hints),
  endsWithEvent: true,
  stop: { ...defaultStop, signal: "SIGTERM" },
  hints,
  listsSkills: ".agents/skills",
  env: () => ({}),
};

const byType: Readonly<Record<string, AgentErrorKind>> = {
  FatalAuthenticationError: "auth",
  FatalTurnLimitedError: "max_turns",
  FatalInputError: "unusable",
  FatalConfigError: "unusable",
  FatalSandboxError: "unusable",
  FatalUntrustedWorkspaceError: "permission",
  FatalCancellationError: "killed",
  TerminalQuotaError: "rate_limit",
  RetryableQuotaError: "rate_limit",
};
/** Exit codes of the program itself; with an API error it exits with the HTTP status modulo 256. */
const byExitCode: Readonly<Record<number, AgentErrorKind>> = {
  41: "auth",
  42: "unusable",
  44: "unusable",
  52: "unusable",
  53: "max_turns",
  55: "permission",
  130: "killed",
};
const retry = /^Attempt \d+ failed(?: with status (\d{3}))?\b[.:]?\s*(.*)$/;
const denied = /^Tool execution (?:denied|.{0,200}requires)|denied by (?:the )?(?:user|policy)/i;
const maxDenials = 20;
const maxUses = 200;
const maxKeptChars = 16 * 1024;

interface State {
  reading: Reading;
  /** The assistant's text since the last tool. */
  message: string;
  /** The model did anything at all. */
  answered: boolean;
  inputCut: boolean;
  readonly uses: Map<string, string>;
  readonly denials: Set<string>;
}

/** Reads `gemini --output-format stream-json`; it retries limits and overload on stderr only, without an end. */
export function geminiStream(host: SessionHost): SessionStream {
  const { onActivity, onFinished, now } = host;
  const state: State = {
    reading: emptyReading,
    message: "",
    answered: false,
    inputCut: false,
    uses: new Map(),
    denials: new Set(),
  };
  const retries = retryWatch(host);
  const stderr = startWords();
  const update = (changes: Partial<Reading>): void => {
    state.reading = { ...state.reading, ...changes };
  };
  // Only a whole message: a secret whose end is missing would not be recognized.
  const showMessage = (): void => {
    if (state.message.trim() !== "") onActivity({ kind: "text", text: state.message });
  };
  const on: Readonly<Record<string, (event: JsonObject) => void>> = {
    init: (event) => update({ sessionId: text(event["session_id"]), model: text(event["model"]) }),
    message(event) {
      if (event["role"] !== "assistant") return;
      retries.progress();
      state.answered = true;
      const words = text(event["content"]) ?? "";
      state.message = event["delta"] === true ? withPart(state.message, words) : endOfMessage(words);
    },
    tool_use(event) {
      retries.progress();
      state.answered = true;
      showMessage();
      state.message = "";
      onActivity({ kind: "tool", text: takeUse(state.uses, event) });
    },
    tool_result(event) {
      const use = state.uses.get(clipCopy(text(event["tool_id"]) ?? "", maxKeptChars));
      if (use !== undefined && isDenied(event) && state.denials.size < maxDenials) state.denials.add(use);
    },
    result(event) {
      showMessage();
      update(resultOf(event, state, now()));
      onFinished();
    },
  };
  return {
    line: (line) => readEvent(line, on),
    errorLine(line) {
      const failed = retriedCall(line, now());
      if (failed) retries.retry(failed);
      else stderr.take(line);
      state.inputCut ||= /^Warning: stdin input truncated/i.test(line);
    },
    ended(exit) {
      const { terminal } = state.reading;
      const failure =
        terminal === "ok"
          ? lostPrompt(state)
          : terminal === null
            ? endOf(state, exit, startFailure(stderr.lines(), { hints, now: now() }))
            : null;
      if (failure && (terminal === "ok" || retries.current() === null))
        update({ terminal: "failed", failure });
    },
    reading: () => ({
      ...state.reading,
      finalMessage: endOfMessage(state.message),
      retrying: state.reading.terminal === null ? retries.current() : null,
      permissionDenials: [...state.denials],
    }),
  };
}

/** Remembers a tool's use by its id, in the form of a permission rule; returns it for display. */
function takeUse(uses: State["uses"], event: JsonObject): string {
  const name = text(event["tool_name"]) ?? "a tool";
  const input = object(event["parameters"]);
  const action = text(input["command"]) ?? text(input["file_path"]) ?? text(input["path"]);
  if (uses.size > maxUses) uses.clear();
  const rule = action === null ? name : `${name}(${action})`;
  uses.set(clipCopy(text(event["tool_id"]) ?? "", maxKeptChars), clipCopy(rule, maxKeptChars));
  return action === null ? name : `${name} ${action}`;
}

function isDenied(result: JsonObject): boolean {
  const error = object(result["error"]);
  const [type, message] = [text(error["type"]) ?? "", text(error["message"]) ?? ""];
  return result["status"] === "error" && (/policy|denied|permission/i.test(type) || denied.test(message));
}

/** Returns the failed call that a line of stderr says is retried; null: it says no such thing. */
function retriedCall(line: string, now: Date): AgentError | null {
  const [found, status, words = ""] = retry.exec(line) ?? [];
  if (found === undefined) return null;
  const reason = words.replace(/^Retrying with backoff\W*/i, "").replace(/^_?\w*Error:\s*/, "");
  const kind = status === "429" ? "rate_limit" : kindOfQuota(reason);
  return apiFailure(reason || line, { kind, status: Number(status ?? 0), hints, now });
}

/** Every quota of the Gemini API, also one per minute, has the words "check your plan and billing details". */
function kindOfQuota(words: string): AgentErrorKind | undefined {
  return /\bRESOURCE_EXHAUSTED\b|"code"\s?:\s?429\b/.test(words) ? "rate_limit" : undefined;
}

function resultOf(event: JsonObject, state: State, now: Date): Partial<Reading> {
  const error = object(event["error"]);
  const failed = event["status"] !== "success";
  const type = text(error["type"]) ?? "";
  const words = text(error["message"]) ?? `Gemini CLI ended with ${text(event["status"]) ?? "no status"}`;
  const failure = failed
    ? apiFailure(words, { kind: entryNamed(byType, type) ?? kindOfQuota(words), hints, now })
    : null;
  return {
    terminal: failed ? "failed" : "ok",
    failure,
    stopReason: text(event["status"]),
    tokens: tokensOf(object(event["stats"])) ?? state.reading.tokens,
  };
}

/** `input_tokens` includes the cached ones; thoughts are only in the total. */
function tokensOf(stats: JsonObject): AgentTokens | null {
  const all = number(stats["input_tokens"]);
  const output = number(stats["output_tokens"]);
  if (all === null || output === null) return null;
  const cacheRead = amountOf(stats["cached"]);
  const thoughts = Math.max(0, amountOf(stats["total_tokens"]) - all - output);
  return { input: Math.max(0, all - cacheRead), output: output + thoughts, cacheRead, cacheWrite: 0 };
}

/** Beyond 8 MiB of input, Gemini CLI cuts it and may report success without having called the model. */
function lostPrompt(state: State): AgentError | null {
  if (!state.inputCut || state.answered) return null;
  const message = "Gemini CLI cut the prompt at 8 MiB and did not send it";
  return { kind: "prompt_too_long", message, resetAt: null, hint: hints.prompt_too_long ?? null };
}

/** Returns why the program ended without a result: every end of a session prints one, except by a signal. */
function endOf(state: State, { exitCode }: ProgramExit, startError: AgentError | null): AgentError | null {
  if (exitCode === null) return null;
  if (exitCode === 0 && state.reading.sessionId !== null) {
    const message = "Gemini CLI was stopped by a signal before its result";
    return { kind: "killed", message, resetAt: null, hint: null };
  }
  const kind = byExitCode[exitCode];
  if (kind === undefined) return state.answered || exitCode === 0 ? null : startError;
  const message = startError?.message ?? `Gemini CLI ended with exit code ${exitCode}`;
  return { kind, message, resetAt: null, hint: hints[kind] ?? null };
}
