import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import { oneLine } from "../../base/text.ts";
import { kindOfMessage, kindOfStatus, readLimit } from "../limits/error-kind.ts";
import { refusalIn } from "../limits/refusal-text.ts";
import type { AgentError, AgentErrorKind } from "../port/agent.ts";
import { type AgentOutput, defaultStop, type OpenStream, type StreamReader } from "../port/session-stream.ts";

export const contextFullHint = "Split the task: the work did not fit into the model's context.";

/** The person's next step where it is the same for every program of the agent `command`. */
export const commonHints: StreamReader["hints"] = {
  credit: "Add credit or raise the spend limit at the agent's provider, then run ralph again.",
  unusable: "Check agents.command.argv: run the same command in a terminal to see what it rejects.",
  not_found: "Check the name of the model in agents.command.argv.",
  permission: "Allow it in the agent's own settings, or with an argument in agents.command.argv.",
  prompt_too_long:
    "Split the task, or shorten its description and --spec; name files instead of quoting them.",
  context_full: contextFullHint,
};

interface FailureFacts {
  /** The kind that the protocol states; absent: only its words are known. */
  readonly kind?: AgentErrorKind | undefined;
  /** The HTTP status that the protocol states. */
  readonly status?: number | null | undefined;
  readonly hints: StreamReader["hints"];
  readonly now: Date;
}

/** Words that decide even against a status: a low balance arrives as 400 or 429, a full context as 400. */
const strongerThanStatus: ReadonlySet<AgentErrorKind | undefined> = new Set(["credit", "context_full"]);

/**
 * Classifies an error of a model's API, as an agent passes it on: by what the protocol states, then by the words of
 * `raw`. The message is one plain sentence; times and statuses are read from the whole of `raw`.
 */
export function apiFailure(raw: string, { kind, status, hints, now }: FailureFacts): AgentError {
  const words = kindOfMessage(raw) ?? kindOfMessage(plainMessage(raw));
  const byStatus = typeof status === "number" ? kindOfStatus(status) : undefined;
  const found = kind ?? (strongerThanStatus.has(words) ? words : (byStatus ?? words)) ?? "crash";
  const limit = readLimit({ kind: found, message: raw }, now);
  return { ...limit, message: plainMessage(raw), hint: hints[limit.kind] ?? null };
}

/** Classifies a program's output. It may quote its work, so only its own statement at the end counts. */
export function explainOutput(words: AgentOutput, hints: StreamReader["hints"]): AgentError | null {
  const refusal = refusalIn(words);
  return refusal && { ...refusal, hint: hints[refusal.kind] ?? null };
}

/** Returns the reader of a program whose protocol states the end of a session. */
export function protocolReader(
  open: OpenStream,
  { hints, listsSkills }: Pick<StreamReader, "hints" | "listsSkills">,
): StreamReader {
  return {
    ...{ open, hints, listsSkills, endsWithEvent: true, env: () => ({}) },
    explain: (words) => explainOutput(words, hints),
    stop: { ...defaultStop, signal: "SIGTERM" },
  };
}

const wrapper = /^\[API Error:? (.*)\](?=\n|$)/s;
const noise = /,? ?\(?\b(?:url|request id|cf-ray|x-request-id): \S+?\)?(?=[,\s]|$)/gi;
/** The words between a sentence and the JSON after it, which is for programs: a JSON-RPC code. */
const beforeData = /(?: ?\(code -?\d{1,9}\))?,? ?(?:data: ?)?$/;
/** Errors that are longer hold pages of HTML or the request itself. */
const maxChars = 20_000;
const maxNesting = 4;

/** Returns the sentence for people in an API's error: without the JSON around it, its wrapper, addresses and request ids. */
export function plainMessage(raw: string): string {
  const words = raw.slice(0, maxChars).trim();
  const inner = wrapper.exec(words)?.[1] ?? words;
  const json = messageIn(inner, maxNesting);
  const plain = oneLine((json ?? withoutData(inner)).replace(noise, ""));
  // The whole message of Node's fetch when a stream breaks.
  return plain === "terminated" ? "connection closed in the middle of the model's answer" : plain;
}

function withoutData(words: string): string {
  const start = words.endsWith("}") ? words.indexOf("{") : -1;
  return start < 1 ? words : words.slice(0, start).replace(beforeData, "");
}

/** Returns the `message` of a JSON object in `words`, which may itself hold JSON. */
function messageIn(words: string, depth: number): string | null {
  const start = words.indexOf("{");
  if (start === -1 || depth === 0) return null;
  const value = parseJson(words.slice(start, words.lastIndexOf("}") + 1));
  const message = isObject(value) ? messageOf(value) : null;
  return message === null ? null : (messageIn(message, depth - 1) ?? message);
}

function messageOf(value: JsonObject): string | null {
  const { error, message } = value;
  const nested = [error, value["data"]].find((part): part is JsonObject => isObject(part as JsonValue));
  if (typeof message === "string" && message !== "") return message;
  if (nested) return messageOf(nested);
  return typeof error === "string" && error !== "" ? error : null;
}
