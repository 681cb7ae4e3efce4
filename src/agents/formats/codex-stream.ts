import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import type { AgentError, AgentTokens } from "../agent.ts";
import { kindOfMessage, readLimit } from "../limits/error-kind.ts";
import {
  defaultStop,
  emptyReading,
  type Reading,
  type SessionHost,
  type SessionStream,
  type StreamReader,
} from "../session/session-stream.ts";
import { explainOutput } from "./explain-output.ts";

const hints: StreamReader["hints"] = {
  auth: "Log in with `codex login`, or check the API key.",
  credit: "Add credit or raise the spend limit at the agent's provider, then run ralph again.",
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

/** Reads `codex exec --json`. An `error` event alone is not a failure: successful sessions have them too. */
export function codexStream({ onActivity, onFinished, now }: SessionHost): SessionStream {
  let reading: Reading = emptyReading;
  const update = (changes: Partial<Reading>): void => {
    reading = { ...reading, ...changes };
  };
  const on: Readonly<Record<string, (event: JsonObject) => void>> = {
    "thread.started": (event) => update({ sessionId: text(event["thread_id"]) }),
    "item.started"(event) {
      const item = object(event["item"]);
      const action = text(item["command"]) ?? text(item["tool"]);
      if (action) onActivity({ kind: "tool", text: action });
    },
    "item.completed"(event) {
      const item = object(event["item"]);
      update({ retrying: null });
      if (item["type"] !== "agent_message") return;
      const finalMessage = text(item["text"]) ?? "";
      update({ finalMessage });
      onActivity({ kind: "text", text: finalMessage });
    },
    error(event) {
      const message = text(event["message"]) ?? "";
      if (!message.startsWith("Reconnecting")) return;
      update({ retrying: failureOf(message, now()) });
      onActivity({ kind: "retry", text: message });
    },
    "turn.completed"(event) {
      update({ terminal: "ok", failure: null, retrying: null, tokens: tokensOf(object(event["usage"])) });
      onFinished();
    },
    "turn.failed"(event) {
      const message = text(object(event["error"])["message"]) ?? "Codex reported a failed turn";
      update({ terminal: "failed", failure: failureOf(message, now()), retrying: null });
      onFinished();
    },
  };
  return {
    line(line) {
      const event = parseJson(line);
      if (!isObject(event)) return;
      const type = text(event["type"]) ?? "";
      if (Object.hasOwn(on, type)) on[type]?.(event);
    },
    reading: () => reading,
  };
}

function failureOf(message: string, now: Date): AgentError {
  const { kind, resetAt, limitedModel } = readLimit(
    { kind: kindOfMessage(message) ?? "crash", message },
    now,
  );
  const hint = hints[kind] ?? null;
  return { kind, message, resetAt, limitedModel, hint };
}

function tokensOf(usage: JsonObject): AgentTokens | null {
  const { input_tokens: input, output_tokens: output } = usage;
  if (typeof input !== "number" || typeof output !== "number") return null;
  const cacheRead = Number(usage["cached_input_tokens"] ?? 0);
  return {
    input: input - cacheRead,
    output,
    cacheRead,
    cacheWrite: Number(usage["cache_write_input_tokens"] ?? 0),
  };
}

const text = (value: JsonValue | undefined): string | null => (typeof value === "string" ? value : null);
const object = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});
