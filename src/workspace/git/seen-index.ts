import { join } from "node:path";
import { lookAt } from "../../base/careful-files.ts";
import { fileStamp } from "./fingerprint.ts";
import type { Workspace } from "./workspace.ts";

/** The staged paths found by a status of the whole work tree, with the compared commit and the index file. */
interface SeenIndex {
  readonly index: string;
  readonly head: string;
  readonly staged: readonly string[];
}

const seenIndexes = new WeakMap<Workspace, SeenIndex>();

/** Identifies the current index file, which git replaces on each write; undefined if there is none. */
export function indexFingerprint({ gitDir }: Workspace): string | undefined {
  const stats = lookAt(join(gitDir, "index"));
  return stats && fileStamp(stats);
}

/** Caches the staged paths, so that a commit right after need not query git again. */
export function rememberStaged(ws: Workspace, seen: SeenIndex): void {
  seenIndexes.set(ws, seen);
}

/** Returns the cached paths whose index entry differs from `head`; undefined if the index was written since. */
export function stagedAsSeen(ws: Workspace, head: string): readonly string[] | undefined {
  const seen = seenIndexes.get(ws);
  if (seen?.head !== head || seen.index !== indexFingerprint(ws)) return undefined;
  return seen.staged;
}
