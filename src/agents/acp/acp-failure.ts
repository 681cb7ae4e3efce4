import { isObject, type JsonValue, parseJson } from "../../base/json.ts";
import { apiFailure } from "../formats/api-failure.ts";
import type { RpcError } from "../formats/json-rpc-client.ts";
import { kindOfMessage, kindOfStatus, readLimit } from "../limits/error-kind.ts";
import type { AgentError, AgentErrorKind } from "../port/agent.ts";
import type { StreamReader } from "../port/session-stream.ts";

type Hints = StreamReader["hints"];

/** The protocol's own code for a missing login. */
export const authRequired = -32000;

const contextFull =
  /context (window|length)|ContextOverflow|prompt is too long|maximum context|input token count .{0,40}exceeds/i;
const badKey = /api key not valid|API_KEY_INVALID/i;

/** Classifies an error answer: the protocol has no classes, so status codes and the provider's words decide. */
export function rpcFailure({ code, message, data }: RpcError, hints: Hints, now: Date): AgentError {
  const words = statedWords(message, data);
  const all = `${words}\n${JSON.stringify(data)}`.replaceAll("_", " ");
  const status = statusIn(code, data);
  const kind =
    kindOf(words, all) ?? kindOfStatus(status) ?? (code === authRequired ? "auth" : kindOfMessage(all));
  return apiFailure(words, { kind, hints, now });
}

/** Returns when a limit ends by a line of a program's stderr, ISO 8601; null: the line does not state it. */
export function resetIn(line: string, now: Date): string | null {
  return /\bretry in \d/i.test(line) ? readLimit({ kind: "rate_limit", message: line }, now).resetAt : null;
}

/** Adds the end of a limit that the protocol's own error does not state. */
export function withReset(error: AgentError | null, resetAt: string | null): AgentError | null {
  return error?.kind === "rate_limit" ? { ...error, resetAt: error.resetAt ?? resetAt } : error;
}

/** The kinds that the status does not show: a full context and a bad key arrive as 400, missing credit as 429, a cut stream as 500, a client that is no longer supported as 403. */
function kindOf(words: string, all: string): AgentErrorKind | undefined {
  if (contextFull.test(all)) return "context_full";
  if (badKey.test(all)) return "auth";
  const kind = kindOfMessage(words);
  return kind === "credit" || kind === "network" || kind === "unusable" ? kind : undefined;
}

function statusIn(code: number, data: JsonValue): number {
  if (code >= 400 && code < 600) return code;
  const fields = isObject(data) ? data : {};
  const stated = ["status", "statusCode", "httpStatusCode", "code"].map((name) => fields[name]);
  return Number(stated.find((value) => typeof value === "number") ?? 0);
}

/** Some agents pass on the API's whole answer, others hide the words in `data`. */
function statedWords(message: string, data: JsonValue): string {
  const body = parseJson(message);
  const inner = isObject(body) && isObject(body["error"]) ? body["error"]["message"] : undefined;
  if (typeof inner === "string" && inner !== "") return inner;
  const bare = message.replace(/^internal error:? */i, "");
  if (bare !== "") return bare;
  const fields = isObject(data) ? data : {};
  const details = [fields["details"], fields["message"], data].find((value) => typeof value === "string");
  if (typeof details === "string") return details;
  const name = fields["errorName"];
  return typeof name === "string" ? `${message} (${name})` : message;
}
