import { type JsonObject, shownValue } from "../../base/json.ts";
import type { AgentError, AgentTokens, CostSource } from "../port/agent.ts";
import {
  defaultStop,
  emptyReading,
  endOfMessage,
  type Reading,
  type SessionHost,
  type SessionStream,
  type StreamReader,
  withPart,
} from "../port/session-stream.ts";
import { claudeContext } from "./claude-context.ts";
import { claudeDenials, toolInput } from "./claude-denials.ts";
import { claudeFailure, claudeHints, refusalFromClaude, statedLimit } from "./claude-failure.ts";
import { claudeTurn, stateEventsEnv } from "./claude-turn.ts";
import { amountOf, array, number, object, readEvent, text } from "./json-events.ts";

/** Claude Code with `--output-format stream-json --verbose`. SIGINT ends its tools too, and it still prints its result. */
export const claudeFormat: StreamReader = {
  open: claudeStream,
  explain: refusalFromClaude,
  endsWithEvent: true,
  stop: { ...defaultStop, signal: "SIGINT" },
  hints: claudeHints,
  listsSkills: ".claude/skills",
  env: stateEventsEnv,
};

interface State {
  reading: Reading;
  /** The agent's own last text, without the API errors that also arrive as assistant messages. */
  lastText: string;
  lastMessageId: string | null;
  /** The model answered at least once, so something was spent. */
  answered: boolean;
  /** The class of the last API error that arrived as a message: `rate_limit`, `billing_error`, … */
  errorClass: string | null;
  /** The end of the limit that rejected a request, in epoch seconds. */
  resetsAt: number | null;
  limitType: string | null;
  readonly denials: ReturnType<typeof claudeDenials>;
  readonly turn: ReturnType<typeof claudeTurn>;
  readonly context: ReturnType<typeof claudeContext>;
}

/** Reads `claude -p --output-format stream-json --verbose`, versions 2.1.197 to 2.1.330. */
export function claudeStream({ onActivity, onFinished, now }: SessionHost): SessionStream {
  const state: State = {
    reading: emptyReading,
    lastText: "",
    lastMessageId: null,
    answered: false,
    errorClass: null,
    resetsAt: null,
    limitType: null,
    denials: claudeDenials(),
    turn: claudeTurn(),
    context: claudeContext(),
  };
  const update = (changes: Partial<Reading>): void => {
    state.reading = { ...state.reading, ...changes };
  };
  const on: Readonly<Record<string, (event: JsonObject) => void>> = {
    system(event) {
      state.turn.system(event);
      if (state.turn.isOver()) onFinished();
      if (event["subtype"] === "init") {
        update({ model: text(event["model"]), sessionId: text(event["session_id"]) });
      } else if (event["subtype"] === "permission_denied") {
        state.denials.deny(event);
      } else if (event["subtype"] === "compact_boundary") {
        state.context.compacted(event);
      } else if (event["subtype"] === "api_retry") {
        update({ retrying: retryOf(event, state, now()) });
        onActivity({ kind: "retry", text: retryText(event) });
      }
    },
    rate_limit_event(event) {
      const info = object(event["rate_limit_info"]);
      if (info["status"] !== "rejected") return;
      state.resetsAt = number(info["resetsAt"]);
      state.limitType = text(info["rateLimitType"]);
      update({ statedLimit: statedLimit(state) });
    },
    assistant(event) {
      update({ retrying: null });
      if (state.reading.terminal !== null && isOwnMessage(event)) {
        // It works again: only the result of this turn counts.
        update({ terminal: null, failure: null, finalMessage: "" });
        state.errorClass = null;
        state.turn.message();
      }
      takeMessage(state, event, onActivity);
    },
    user: () => update({ retrying: null }),
    result(event) {
      update({ retrying: null, ...resultOf(event, state, now()) });
      state.turn.result();
      if (state.turn.isOver()) onFinished();
    },
  };
  return {
    line: (line) => readEvent(line, on),
    reading: () => ({
      ...state.reading,
      finalMessage:
        state.reading.finalMessage || (state.reading.terminal === "ok" ? "" : endOfMessage(state.lastText)),
      permissionDenials: state.denials.list(),
      ...state.context.reading(),
      waiting: state.turn.isWaiting(),
    }),
  };
}

/** False for messages of a sub-agent, which are meant for its parent. */
function isOwnMessage(event: JsonObject): boolean {
  return !text(event["parent_tool_use_id"]) && array(object(event["message"])["content"]).length > 0;
}

function takeMessage(state: State, event: JsonObject, onActivity: SessionHost["onActivity"]): void {
  const errorClass = text(event["error"]);
  if (errorClass) {
    state.errorClass = errorClass;
    return;
  }
  state.answered = true;
  const message = object(event["message"]);
  if (isOwnMessage(event)) {
    state.context.request(object(message["usage"]));
    const model = text(message["model"]);
    // In angle brackets: words of Claude Code itself.
    if (model && !model.startsWith("<")) state.reading = { ...state.reading, model };
  }
  const texts: string[] = [];
  for (const block of array(message["content"])) {
    const part = object(block);
    if (part["type"] === "tool_use") {
      state.denials.use(part);
      onActivity({ kind: "tool", text: toolText(part) });
    } else if (part["type"] === "text") texts.push(text(part["text"]) ?? "");
  }
  const joined = texts.join("\n");
  if (joined === "") return;
  onActivity({ kind: "text", text: joined });
  if (!isOwnMessage(event)) return;
  const id = text(message["id"]);
  const isSame = id !== null && id === state.lastMessageId;
  state.lastText = isSame ? withPart(state.lastText, `\n${joined}`) : endOfMessage(joined);
  state.lastMessageId = id;
}

function resultOf(event: JsonObject, state: State, now: Date): Partial<Reading> {
  const failed = event["is_error"] !== false || event["subtype"] !== "success";
  state.denials.settle(array(event["permission_denials"]).map(object));
  const { reading } = state;
  const words = text(event["result"]) ?? "";
  // A compaction has an empty result of its own, which is not the agent's last message.
  const silent = event["num_turns"] === 0 && words === "";
  const { errorClass, resetsAt, limitType } = state;
  return {
    terminal: failed ? "failed" : "ok",
    failure: failed ? claudeFailure(event, { errorClass, resetsAt, limitType, now }) : null,
    finalMessage: failed ? "" : silent ? reading.finalMessage : words,
    model: reading.model ?? onlyKey(object(event["modelUsage"])),
    sessionId: text(event["session_id"]) ?? reading.sessionId,
    stopReason: text(event["terminal_reason"]) ?? text(event["stop_reason"]),
    ...spentIn(event, state),
  };
}

function spentIn(event: JsonObject, state: State): Pick<Reading, "tokens" | "costUsd" | "costSource"> {
  const modelUsage = object(event["modelUsage"]);
  state.context.models(modelUsage, state.reading.model);
  // A crash of Claude Code itself reports no turns and no usage, even if tokens were spent before.
  const lost = event["num_turns"] === 0 && state.answered && Object.keys(modelUsage).length === 0;
  if (lost) {
    const { tokens, costUsd, costSource } = state.reading;
    return { tokens, costUsd, costSource };
  }
  const costUsd = number(event["total_cost_usd"]);
  return {
    tokens: sessionTokens(modelUsage) ?? tokensOf(object(event["usage"])),
    costUsd,
    costSource: costUsd === null ? null : sourceOf(modelUsage),
  };
}

function onlyKey(record: JsonObject): string | null {
  const [key, ...others] = Object.keys(record);
  return key !== undefined && others.length === 0 ? key : null;
}

/** The tokens of the whole session, by model. `usage` leaves out sub-agents and the turns before earlier results. */
function sessionTokens(modelUsage: JsonObject): AgentTokens | null {
  const models = Object.values(modelUsage).map(object);
  if (models.length === 0) return null;
  const sum = (key: string): number => models.reduce((total, model) => total + amountOf(model[key]), 0);
  return {
    input: sum("inputTokens"),
    output: sum("outputTokens"),
    cacheRead: sum("cacheReadInputTokens"),
    cacheWrite: sum("cacheCreationInputTokens"),
  };
}

function tokensOf(usage: JsonObject): AgentTokens | null {
  const input = number(usage["input_tokens"]);
  const output = number(usage["output_tokens"]);
  if (input === null || output === null) return null;
  return {
    input,
    output,
    cacheRead: amountOf(usage["cache_read_input_tokens"]),
    cacheWrite: amountOf(usage["cache_creation_input_tokens"]),
  };
}

/** For an unknown model, Claude Code estimates the price and reports `unknown`; older versions do not report it. */
function sourceOf(modelUsage: JsonObject): CostSource {
  const bases = Object.values(modelUsage).map((usage) => object(usage)["costBasis"]);
  return bases.includes("unknown") ? "guessed" : "measured";
}

function retryOf(event: JsonObject, state: State, now: Date): AgentError {
  const status = number(event["error_status"]);
  const message = `${retryText(event)}; it was still trying`;
  const failed = { ...event, api_error_status: status, result: message };
  // No status means that no answer arrived.
  if (status === null) return { kind: "network", message, resetAt: null, hint: null };
  const { resetsAt, limitType } = state;
  return claudeFailure(failed, { errorClass: text(event["error"]), resetsAt, limitType, now });
}

function retryText(event: JsonObject): string {
  const status = number(event["error_status"]);
  const name = text(event["error"]) ?? "an error";
  return `${name}${status === null ? "" : ` (${status})`}, attempt ${shownValue(event["attempt"])} of ${shownValue(event["max_retries"])}`;
}

function toolText(use: JsonObject): string {
  const main = toolInput(use["input"]);
  return `${text(use["name"]) ?? "tool"}${main ? ` ${main}` : ""}`;
}
