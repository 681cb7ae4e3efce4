import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import { clip } from "../../base/text.ts";
import type { SessionHost } from "../port/session-stream.ts";

/** An error that the agent answered with. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: JsonValue;
}

/** The answer to a call: `result` is an empty object when the agent's is not an object. */
export type RpcAnswer =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly error: RpcError };

export interface RpcClient {
  /** Calls a method of the agent. Never rejects; the promise stays open when the session ends without an answer. */
  call(method: string, params: JsonObject): Promise<RpcAnswer>;
  notify(method: string, params: JsonObject): void;
  /** Takes a line of the agent's stdout. Other lines are ignored: some programs print warnings there. */
  line(text: string): void;
}

interface RpcHandlers {
  /** Answers a request of the agent; null: the method is unknown here. */
  readonly onRequest: (method: string, params: JsonObject) => JsonObject | null;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

/** Longer names and ids are no protocol's; an answer would repeat them to an agent that may not even read it. */
const maxNameChars = 200;

const methodNotFound = -32601;
const internalError = -32603;

/** Speaks JSON-RPC 2.0 with an agent, one message a line. Agents may leave out `jsonrpc`, as Codex does. */
export function jsonRpcClient(
  { write }: Pick<SessionHost, "write">,
  { onRequest, onNotification }: RpcHandlers,
): RpcClient {
  const pending = new Map<number, (answer: RpcAnswer) => void>();
  let calls = 0;
  const send = (message: JsonObject): void => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const settle = ({ id, error, result }: JsonObject): void => {
    if (typeof id !== "number") return;
    const answer = isObject(result) ? result : {};
    pending.get(id)?.(isObject(error) ? { ok: false, error: errorOf(error) } : { ok: true, result: answer });
    pending.delete(id);
  };
  const hear = ({ id, params }: JsonObject, method: string): void => {
    const given = isObject(params) ? params : {};
    if (id === undefined) {
      onNotification(method, given);
      return;
    }
    if (isObject(id) || Array.isArray(id) || (typeof id === "string" && id.length > maxNameChars)) return;
    const result = onRequest(method, given);
    const refusal = { code: methodNotFound, message: `method not found: ${clip(method, maxNameChars)}` };
    send(result === null ? { id, error: refusal } : { id, result });
  };
  return {
    async call(method, params) {
      calls += 1;
      const id = calls;
      const answer = new Promise<RpcAnswer>((resolve) => pending.set(id, resolve));
      send({ id, method, params });
      return await answer;
    },
    notify: (method, params) => send({ method, params }),
    line(text) {
      // A failed parse costs much more than this look, and an agent can write any number of blank lines.
      if (!text.includes("{")) return;
      const message = parseJson(text);
      if (!isObject(message)) return;
      if (typeof message["method"] === "string") hear(message, message["method"]);
      else settle(message);
    },
  };
}

function errorOf({ code, message, data }: JsonObject): RpcError {
  return {
    code: typeof code === "number" ? code : internalError,
    message: typeof message === "string" && message !== "" ? message : "the agent gave no reason",
    data: data ?? null,
  };
}
