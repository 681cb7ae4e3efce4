import { isObject, type JsonObject, parseJson } from "../base/json.ts";

const parseError = -32700;
/** The code of JSON-RPC for a message that is no request. */
export const invalidRequest = -32600;

/** No tool takes more; checking a value that is nested a million times deep would overflow the stack. */
const maxDepth = 100;

/** The reason why a line is not passed on as a message. */
export interface Fault {
  readonly code: number;
  readonly message: string;
  /** The answer belongs to the message's own id. */
  readonly hasId: boolean;
}

/** Returns why a line is not a JSON-RPC message that can be answered; null: it is one, or is blank. */
export function faultOf(line: Buffer): Fault | null {
  if (depthOf(line) > maxDepth) return invalid(`it is nested more than ${maxDepth} levels deep`, true);
  const text = line.toString("utf8");
  if (text.trim() === "") return null;
  const message = parseJson(text);
  if (message === undefined) return { code: parseError, message: "the line is not valid JSON", hasId: false };
  if (Array.isArray(message)) return invalid("batches are not supported", false);
  return isObject(message) ? faultOfObject(message) : invalid("expected an object", false);
}

function faultOfObject({ jsonrpc, id, method, params, result, error }: JsonObject): Fault | null {
  const isAnswer = result !== undefined || error !== undefined;
  if (method === undefined && isAnswer) return null;
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  if (id !== undefined && !isId) return invalid("expected a string or an integer as its id", false);
  if (jsonrpc !== "2.0") return invalid('expected "jsonrpc": "2.0"', true);
  if (typeof method !== "string") return invalid("expected a method", true);
  return params === undefined || isObject(params) ? null : invalid("expected an object as its params", true);
}

function invalid(why: string, hasId: boolean): Fault {
  return { code: invalidRequest, message: `the message is invalid: ${why}`, hasId };
}

const [quote, backslash] = [0x22, 0x5c];
/** `[`, `{`, `]` and `}` by how they change the depth. */
const steps: ReadonlyMap<number, number> = new Map([
  [0x5b, 1],
  [0x7b, 1],
  [0x5d, -1],
  [0x7d, -1],
]);

/** Returns how deep the lists and objects of a JSON text are nested. */
function depthOf(line: Buffer): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at] ?? 0;
    if (byte === quote) at = endOfText(line, at);
    depth += steps.get(byte) ?? 0;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Returns where the text ends that begins with a quote at `start`. */
function endOfText(line: Buffer, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== quote) at += line[at] === backslash ? 2 : 1;
  return at;
}
