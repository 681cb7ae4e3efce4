import { isObject, type JsonObject, parseJson } from "../../../base/json.ts";
import { readStream } from "../../shell/read-stream.ts";

/** The hooks of an agent's session that ralph answers, by Claude Code's names. */
export const hookEvents = ["SessionStart", "UserPromptSubmit", "Stop"] as const;
export type HookEvent = (typeof hookEvents)[number];

/** The fields of a hook's input that ralph uses. */
export interface HookInput {
  readonly sessionId: string;
  /** SessionStart: `startup`, `resume`, `clear` or `compact`. */
  readonly source: string;
  /** UserPromptSubmit: the person's prompt. */
  readonly prompt: string;
  /** Stop: true while the agent's own background work continues. */
  readonly isWaiting: boolean;
}

/** A larger input is not read: the answer of a hook is optional. */
const maxBytes = 16 * 1024 * 1024;

/** Reads a hook's input, one JSON object; undefined if it is not one. */
export async function readHookInput(stream: AsyncIterable<unknown>): Promise<HookInput | undefined> {
  const given = parseJson((await readStream(stream, maxBytes)) ?? "");
  if (!isObject(given)) return undefined;
  return {
    sessionId: textOf(given, "session_id"),
    source: textOf(given, "source"),
    prompt: textOf(given, "prompt"),
    isWaiting: isFilled(given["background_tasks"]),
  };
}

function textOf(given: JsonObject, name: string): string {
  const value = given[name];
  return typeof value === "string" ? value : "";
}

function isFilled(value: JsonObject[string]): boolean {
  return Array.isArray(value) && value.length > 0;
}
