import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../base/hash.ts";
import { isObject, type JsonObject, parseJson } from "../../../base/json.ts";
import { directories } from "../../../config/directories.ts";
import { readStream } from "../../shell/read-stream.ts";
import { readPersonFile, writeOwn } from "./person-file.ts";

/** The memory of one session's hooks from one call to the next. It holds no text of the session. */
interface SessionState {
  /** Ids of learnings that the session was given. */
  readonly shown: readonly string[];
  /** Fingerprint of the tree when the current prompt was submitted; null: unknown. */
  readonly tree: string | null;
  /** How often verification failed since then. */
  readonly failures: number;
  /** Fingerprint of the tree after the last of these failures. */
  readonly failedTree: string | null;
}

const initialState: SessionState = { shown: [], tree: null, failures: 0, failedTree: null };

const maxShown = 500;
const keptMs = 7 * 86_400_000;

/** Reads a session's state; the initial one if there is none, or it is damaged. */
export function readSessionState(sessionId: string): SessionState {
  try {
    const state = parseJson(readPersonFile(fileOf(sessionId)).text ?? "");
    return isObject(state) ? { ...initialState, ...(state as Partial<SessionState>) } : initialState;
  } catch {
    return initialState;
  }
}

/** Changes a session's state. An error is ignored: the next call then knows less. */
export async function updateSessionState(sessionId: string, change: Partial<SessionState>): Promise<void> {
  const state = { ...readSessionState(sessionId), ...change };
  const kept = { ...state, shown: state.shown.slice(-maxShown) };
  await writeOwn(fileOf(sessionId), `${JSON.stringify(kept)}\n`).catch(() => undefined);
}

/** Begins a session without memories, and removes the state of old ones. */
export async function resetSessionState(sessionId: string, now: Date): Promise<void> {
  removeOldStates(now);
  await updateSessionState(sessionId, initialState);
}

function removeOldStates(now: Date): void {
  try {
    for (const name of readdirSync(folder())) {
      const path = join(folder(), name);
      if (now.getTime() - statSync(path).mtimeMs > keptMs) rmSync(path, { force: true });
    }
  } catch {
    // There is none yet, or another process removes them.
  }
}

function folder(): string {
  return join(directories().state, "ralph", "sessions");
}

function fileOf(sessionId: string): string {
  return join(folder(), `${sha256(sessionId).slice(0, 24)}.json`);
}

/** The hooks of an agent's session that ralph answers, by Claude Code's names. */
export const hookEvents = ["SessionStart", "UserPromptSubmit", "Stop"] as const;
export type HookEvent = (typeof hookEvents)[number];

/** The fields of a hook's input that ralph uses. */
export interface HookInput {
  readonly sessionId: string;
  /** SessionStart: `startup`, `resume`, `clear` or `compact`. */
  readonly source: string;
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
    isWaiting: Array.isArray(given["background_tasks"]) && given["background_tasks"].length > 0,
  };
}

function textOf(given: JsonObject, name: string): string {
  const value = given[name];
  return typeof value === "string" ? value : "";
}
