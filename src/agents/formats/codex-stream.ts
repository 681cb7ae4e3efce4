import type { JsonObject } from "../../base/json.ts";
import { clipCopy } from "../../base/text.ts";
import type { AgentError, AgentTokens } from "../agent.ts";
import {
  defaultStop,
  emptyReading,
  type ProgramExit,
  type Reading,
  type SessionHost,
  type SessionStream,
  type StreamReader,
} from "../session/session-stream.ts";
import { apiFailure } from "./api-failure.ts";
import { commonHints } from "./common-hints.ts";
import { explainOutput } from "./explain-output.ts";
import { amountOf, array, number, object, readEvent, text } from "./json-events.ts";
import { startFailure, startWords } from "./start-failure.ts";

const hints: StreamReader["hints"] = {
  ...commonHints,
  auth: "Log in with `codex login`, or check the API key.",
};

/** Codex with `exec --json`. SIGINT ends its tools too; after SIGTERM they run on. */
export const codexFormat: StreamReader = {
  open: codexStream,
  explain: (words) => explainOutput(words, hints),
  endsWithEvent: true,
  stop: { ...defaultStop, signal: "SIGINT" },
  hints,
  listsSkills: ".agents/skills",
  env: () => ({}),
};

const maxDenials = 20;
const maxRuleChars = 16 * 1024;

/** Reads `codex exec --json`. An `error` event alone is not a failure: successful sessions have them too. */
export function codexStream({ onActivity, onFinished, now }: SessionHost): SessionStream {
  let reading: Reading = emptyReading;
  let turnStarted = false;
  let lastError: string | null = null;
  const denials = new Set<string>();
  const stderr = startWords();
  const update = (changes: Partial<Reading>): void => {
    reading = { ...reading, ...changes };
  };
  const failure = (message: string): AgentError => apiFailure(message, { hints, now: now() });
  const on: Readonly<Record<string, (event: JsonObject) => void>> = {
    "thread.started": (event) => update({ sessionId: text(event["thread_id"]) }),
    "turn.started"() {
      turnStarted = true;
    },
    "item.started"(event) {
      const item = object(event["item"]);
      const action = text(item["command"]) ?? text(item["tool"]);
      if (action) onActivity({ kind: "tool", text: action });
    },
    "item.completed"(event) {
      const item = object(event["item"]);
      update({ retrying: null });
      if (isDenied(item) && denials.size < maxDenials) denials.add(clipCopy(ruleOf(item), maxRuleChars));
      if (item["type"] !== "agent_message") return;
      const finalMessage = text(item["text"]) ?? "";
      update({ finalMessage });
      onActivity({ kind: "text", text: finalMessage });
    },
    error(event) {
      const message = text(event["message"]) ?? "";
      lastError = message;
      if (!message.startsWith("Reconnecting")) return;
      update({ retrying: failure(message) });
      onActivity({ kind: "retry", text: message });
    },
    "turn.completed"(event) {
      const tokens = spentInSession(reading.sessionId, tokensOf(object(event["usage"])));
      update({ terminal: "ok", failure: null, retrying: null, tokens });
      onFinished();
    },
    "turn.failed"(event) {
      const message = text(object(event["error"])["message"]) ?? lastError ?? "Codex reported a failed turn";
      update({ terminal: "failed", failure: failure(message), retrying: null });
      onFinished();
    },
  };
  const failWithoutEnd = ({ exitCode }: ProgramExit): AgentError | null => {
    if (exitCode === 0 || exitCode === null || reading.retrying) return null;
    if (!turnStarted) return startFailure(stderr.lines(), { hints, now: now() });
    if (lastError !== null) return failure(lastError);
    // Codex reports every failure of a turn, except that it was interrupted.
    return {
      kind: "killed",
      message: "codex was interrupted before its turn ended",
      resetAt: null,
      hint: null,
    };
  };
  return {
    line: (line) => readEvent(line, on),
    errorLine: (line) => stderr.take(line),
    ended(exit) {
      const found = reading.terminal === null ? failWithoutEnd(exit) : null;
      if (found) update({ terminal: "failed", failure: found });
    },
    reading: () => ({ ...reading, permissionDenials: [...denials] }),
  };
}

const refused =
  /requires approval|approval policy|rejected by (?:the )?(?:user|policy)|not approved|declined/i;

/** Checks whether a finished item was refused; what the sandbox stops has no item, or fails like any command. */
function isDenied(item: JsonObject): boolean {
  if (item["status"] === "declined") return true;
  return item["status"] === "failed" && refused.test(text(object(item["error"])["message"]) ?? "");
}

function ruleOf(item: JsonObject): string {
  const command = text(item["command"]);
  if (command !== null) return `shell(${command})`;
  const tool = text(item["tool"]);
  if (tool !== null) return `${text(item["server"]) ?? "mcp"}.${tool}`;
  const path = text(object(array(item["changes"])[0])["path"]);
  return path === null ? (text(item["type"]) ?? "a tool") : `edit(${path})`;
}

function tokensOf(usage: JsonObject): AgentTokens | null {
  const input = number(usage["input_tokens"]);
  const output = number(usage["output_tokens"]);
  if (input === null || output === null) return null;
  const cacheRead = amountOf(usage["cached_input_tokens"]);
  return {
    input: Math.max(0, input - cacheRead),
    output,
    cacheRead,
    cacheWrite: amountOf(usage["cache_write_input_tokens"]),
  };
}

/** The totals of threads that earlier sessions of this process ended with: Codex counts a resumed thread from its start. */
const threadTotals = new Map<string, AgentTokens>();
const maxThreads = 200;

/** Returns what the session itself spent: a thread's total without that of its earlier session. */
function spentInSession(thread: string | null, total: AgentTokens | null): AgentTokens | null {
  if (thread === null || total === null) return total;
  const before = threadTotals.get(thread);
  threadTotals.delete(thread);
  threadTotals.set(thread, total);
  for (const oldest of threadTotals.keys()) if (threadTotals.size > maxThreads) threadTotals.delete(oldest);
  if (!before || !isMore(total, before)) return total;
  return {
    input: total.input - before.input,
    output: total.output - before.output,
    cacheRead: total.cacheRead - before.cacheRead,
    cacheWrite: total.cacheWrite - before.cacheWrite,
  };
}

/** A turn always adds input, and takes nothing away: anything else is not a continued count. */
function isMore(total: AgentTokens, before: AgentTokens): boolean {
  const sum = ({ input, cacheRead }: AgentTokens) => input + cacheRead;
  return (
    sum(total) > sum(before) &&
    total.input >= before.input &&
    total.output >= before.output &&
    total.cacheRead >= before.cacheRead &&
    total.cacheWrite >= before.cacheWrite
  );
}
