import { entryNamed, isObject, type JsonObject, type JsonValue, shownValue } from "../../base/json.ts";
import { apiFailure } from "../formats/api-failure.ts";
import { amountOf, number } from "../formats/json-events.ts";
import type { AgentError, AgentErrorKind, AgentTokens } from "../port/agent.ts";
import {
  emptyReading,
  endOfMessage,
  type Reading,
  type SessionHost,
  type StreamReader,
  withPart,
} from "../port/session-stream.ts";
import { isForbidden, nameOf } from "./acp-permission.ts";
import { choiceOf } from "./session-options.ts";
import { toolCalls } from "./tool-calls.ts";

const maxDenials = 20;

/** The reading of one session, from its events. */
interface AcpRecord {
  /** Takes a `session/update`. */
  update(update: JsonObject): void;
  /** Returns a tool call with the fields of all its events. */
  tool(call: JsonObject): JsonObject;
  deny(action: string): void;
  setModel(model: string): void;
  setSession(sessionId: string): void;
  /** Takes the answer to the prompt. */
  end(result: JsonObject): void;
  fail(error: AgentError): void;
  reading(): Reading;
}

interface AcpRecordSetup {
  readonly hints: StreamReader["hints"];
  readonly usageOfLastCall: boolean;
}

export function acpRecord(
  host: Pick<SessionHost, "onActivity" | "now">,
  { hints, usageOfLastCall }: AcpRecordSetup,
): AcpRecord {
  let reading: Reading = emptyReading;
  const denials = new Set<string>();
  const tools = toolCalls(host);
  const message = lastMessage((text) => host.onActivity({ kind: "text", text }));
  const deny = (action: string): void => void (denials.size < maxDenials && denials.add(action));
  const change = (changes: Partial<Reading>): void => {
    reading = { ...reading, ...changes };
  };
  const on: Readonly<Record<string, (update: JsonObject) => void>> = {
    agent_message_chunk: (update) => message.add(update),
    tool_call(update) {
      message.close();
      tools.take(update);
    },
    tool_call_update(update) {
      message.close();
      const tool = tools.take(update);
      if (isForbidden(update)) deny(nameOf(tool));
    },
    usage_update: (update) => change(usageOf(update)),
    config_option_update: (update) => change({ model: choiceOf(update, "model")?.current ?? reading.model }),
    compaction_update(update) {
      if (update["status"] === "completed") change({ compactions: (reading.compactions ?? 0) + 1 });
    },
    notice: (update) => host.onActivity({ kind: "text", text: shownValue(update["title"]) }),
  };
  return {
    update(update) {
      const kind = shownValue(update["sessionUpdate"]);
      if (Object.hasOwn(on, kind)) on[kind]?.(update);
    },
    tool: tools.take,
    deny,
    setModel: (model) => change({ model }),
    setSession: (sessionId) => change({ sessionId }),
    end(result) {
      message.close();
      const stopReason = shownValue(result["stopReason"]);
      const quota = quotaOf(result);
      const tokens = usageOfLastCall ? null : (tokensOf(result["usage"]) ?? quota.tokens);
      change({ stopReason, tokens, model: quota.model ?? reading.model });
      const ended = entryNamed(endings, stopReason);
      const refused = tokens === null ? statedError(message.text(), { hints, now: host.now() }) : null;
      if (stopReason === "end_turn" && refused) change({ terminal: "failed", failure: refused });
      else if (stopReason === "end_turn") change({ terminal: "ok" });
      else {
        const [kind, words] = ended ?? ["bad_output", `the turn ended with "${stopReason}"`];
        change({ terminal: "failed", failure: apiFailure(words, { kind, hints, now: host.now() }) });
      }
    },
    fail: (error) => change({ terminal: "failed", failure: error }),
    reading: () => ({ ...reading, finalMessage: message.text(), permissionDenials: [...denials] }),
  };
}

/** The whole message of Copilot where its API refused: it ends the turn as after an answer, but without usage. */
const errorMessage = /^Error: .{1,2000}\(HTTP (\d{3})\)\.?$/s;

/** Returns the error that is all of a turn's message; null: the message is an answer. */
function statedError(
  message: string,
  facts: { readonly hints: StreamReader["hints"]; readonly now: Date },
): AgentError | null {
  const status = errorMessage.exec(message.trim())?.[1];
  return status === undefined ? null : apiFailure(message.trim(), { ...facts, status: Number(status) });
}

const endings: Readonly<Record<string, readonly [AgentErrorKind, string]>> = {
  max_tokens: ["bad_output", "the answer exceeded the model's output limit"],
  max_turn_requests: ["max_turns", "the agent reached its limit of requests in a turn"],
  refusal: ["bad_output", "the model refused to answer"],
  cancelled: ["killed", "the agent's turn was cancelled"],
};

/** Collects the chunks of the agent's messages; `text` is the last one that is not blank. */
function lastMessage(onWhole: (text: string) => void): {
  add(update: JsonObject): void;
  close(): void;
  text(): string;
} {
  let last = "";
  let open = "";
  let id: JsonValue | undefined;
  const close = (): void => {
    if (open.trim() === "") return;
    last = endOfMessage(open);
    open = "";
    onWhole(last);
  };
  return {
    add({ content, messageId }) {
      const text = isObject(content) && content["type"] === "text" ? content["text"] : undefined;
      if (typeof text !== "string") return;
      if (messageId !== id) close();
      id = messageId;
      open = withPart(open, text);
    },
    close,
    text: () => (open.trim() === "" ? last : endOfMessage(open)),
  };
}

function usageOf({ used, size, cost }: JsonObject): Partial<Reading> {
  const amount = isObject(cost) && cost["currency"] === "USD" ? cost["amount"] : undefined;
  return {
    ...(amountOf(used) > 0 && { contextUsed: amountOf(used) }),
    ...(amountOf(size) > 0 && { contextSize: amountOf(size) }),
    ...(number(amount) !== null && { costUsd: number(amount), costSource: "measured" as const }),
  };
}

function tokensOf(usage: JsonValue | undefined): AgentTokens | null {
  if (!isObject(usage)) return null;
  const { inputTokens: input, outputTokens: output } = usage;
  if (typeof input !== "number" || typeof output !== "number") return null;
  return {
    input,
    output: output + amountOf(usage["thoughtTokens"]),
    cacheRead: amountOf(usage["cachedReadTokens"]),
    cacheWrite: amountOf(usage["cachedWriteTokens"]),
  };
}

/** Gemini reports tokens and the models that answered in a field of its own. */
function quotaOf({ _meta }: JsonObject): {
  readonly tokens: AgentTokens | null;
  readonly model: string | null;
} {
  const quota = isObject(_meta) ? _meta["quota"] : undefined;
  const { token_count: count, model_usage: models } = isObject(quota) ? quota : {};
  const { input_tokens: input, output_tokens: output } = isObject(count) ? count : {};
  const known = typeof input === "number" && typeof output === "number";
  const used = Array.isArray(models) ? models.filter(isObject) : [];
  const model = used.at(-1)?.["model"];
  return {
    tokens: known ? { input, output, cacheRead: 0, cacheWrite: 0 } : null,
    model: typeof model === "string" ? model : null,
  };
}
