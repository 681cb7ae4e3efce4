import { isObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";

/** Where a run serves its iteration's agent (TRUST-9). The agent's environment has it; verification and hooks do not. */
export interface RunAddress {
  /** The path of the socket; requests as files are left beside it. On Windows, the name of a pipe. */
  readonly socket: string;
  /** Proves that a client was started by the agent. Agents remove variables whose names are like those of secrets. */
  readonly nonce: string;
  /** The project's root: a command of any other project is not the run's. */
  readonly root: string;
}

/** The variables of an address. */
export const addressVariables: Readonly<Record<keyof RunAddress, string>> = {
  socket: "RALPH_SOCKET",
  nonce: "RALPH_NONCE",
  root: "RALPH_ROOT",
};

/** A command line as an agent typed it. */
interface CommandRequest {
  readonly kind: "command";
  readonly words: readonly string[];
  readonly cwd: string;
  /** Standard input; null: the command reads none. */
  readonly input: string | null;
}

/** A call of one of ralph's tools. */
interface ToolRequest {
  readonly kind: "tool";
  readonly name: string;
  readonly given: JsonValue;
  /** The name recorded with what it stores; null if unknown. */
  readonly agent: string | null;
}

export type RunRequest = CommandRequest | ToolRequest;

/** The output of a request, and its exit code; of a tool, 1 if it failed. */
export interface RunAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Requests and answers are one line of JSON each. */
export const maxRequestBytes: number = 1024 * 1024;
export const maxAnswerBytes: number = 8 * 1024 * 1024;
/** Milliseconds that a client waits for its answer. */
export const answerMs = 10_000;

/** The files of a client that may not connect: it leaves a request beside the socket and waits for the answer. */
export const requestFile: RegExp = /^([0-9a-f]{16})\.request$/;
export const answerFile = (id: string): string => `${id}.answer`;

export function encodeRequest(request: RunRequest, nonce: string): string {
  return `${JSON.stringify({ ...request, nonce })}\n`;
}

/** Returns the request of one line, which anything may have written; undefined: it is none, or has another nonce. */
export function decodeRequest(line: string, nonce: string): RunRequest | undefined {
  const read = parseJson(line);
  if (!isObject(read) || read["nonce"] !== nonce) return undefined;
  return read["kind"] === "tool" ? toolRequest(read) : commandRequest(read);
}

function toolRequest({ name, given = {}, agent = null }: JsonObject): RunRequest | undefined {
  if (typeof name !== "string" || !(agent === null || typeof agent === "string")) return undefined;
  return { kind: "tool", name, given, agent };
}

function commandRequest({ words, cwd, input = null }: JsonObject): RunRequest | undefined {
  if (!Array.isArray(words) || typeof cwd !== "string") return undefined;
  if (!(input === null || typeof input === "string")) return undefined;
  const texts = words.filter((word) => typeof word === "string");
  return texts.length === words.length ? { kind: "command", words: texts, cwd, input } : undefined;
}

/** Returns the answer of one line; undefined if it is cut off. */
export function decodeAnswer(line: string): RunAnswer | undefined {
  const read = parseJson(line);
  if (!isObject(read)) return undefined;
  const { code, stdout, stderr } = read;
  if (typeof code !== "number" || typeof stdout !== "string" || typeof stderr !== "string") return undefined;
  return { code, stdout, stderr };
}
