import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../base/hash.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { directories } from "../../../config/directories.ts";
import { readPersonFile, writeOwn } from "./person-file.ts";

/** The memory of one session's hooks from one call to the next. It holds no text of the session. */
export interface SessionState {
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
    if (!isObject(state)) return initialState;
    const { shown, tree, failures, failedTree } = state;
    return {
      shown: Array.isArray(shown) ? shown.filter((id) => typeof id === "string") : [],
      tree: typeof tree === "string" ? tree : null,
      failures: typeof failures === "number" ? failures : 0,
      failedTree: typeof failedTree === "string" ? failedTree : null,
    };
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
