import { renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { RalphError } from "../../../base/errors.ts";
import type { ProjectKey } from "../../../trust/project-key.ts";

interface Place {
  /** The store. */
  readonly path: string;
  /** `.ralph/events.jsonl`. */
  readonly history: string;
  readonly key: Pick<ProjectKey, "logCopy" | "readWork">;
}

/**
 * Returns true when store and log are gone, as after `git clean -fdx`, or empty, and the copy of the log is not. False while an agent works, or
 * after it killed ralph: then the run, or the next command, restores them by itself.
 */
export function isRemoved({ path, history, key }: Place): boolean {
  if (sizeOf(path) > 0 || sizeOf(history) > 0) return false;
  return key.readWork() === null && sizeOf(key.logCopy) > 0;
}

function sizeOf(path: string): number {
  return lookAt(path)?.size ?? 0;
}

export const removedHint =
  "run `ralph doctor --repair` to restore tasks and memory from that copy; to start over: `ralph init`";

export function removedDetail({ path, key }: Pick<Place, "path" | "key">): string {
  return `there is no store ${path}, but ralph was used here: it kept a copy of the event log, ${key.logCopy}`;
}

export function removedError(place: Place): RalphError {
  return new RalphError("RALPH_STORE_REMOVED", removedDetail(place), { hint: removedHint });
}

/** Renames the copy, so that the log of a new store does not take its place. Returns the new path; null: it could not be renamed. */
export function setCopyAside({ key }: Pick<Place, "key">, now: Date): string | null {
  const time = now.toISOString().replace(/[-:.]/g, "");
  const kept = join(dirname(key.logCopy), `${time}-${basename(key.logCopy)}`);
  try {
    renameSync(key.logCopy, kept);
    return kept;
  } catch {
    return null;
  }
}
