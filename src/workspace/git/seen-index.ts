import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "../workspace.ts";

/** What a look at the whole work tree found staged, against which commit, and the index file that it read. */
interface SeenIndex {
  readonly index: string;
  readonly head: string;
  readonly staged: readonly string[];
}

const seenIndexes = new WeakMap<Workspace, SeenIndex>();

/** Which index file stands there: git writes each anew and moves it into place. Undefined when there is none. */
export function indexPrint({ gitDir }: Workspace): string | undefined {
  const stats = lstatSync(join(gitDir, "index"), { bigint: true, throwIfNoEntry: false });
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ");
}

/** Keeps what was seen, so that a commit right after need not ask git again. */
export function rememberStaged(ws: Workspace, sight: SeenIndex): void {
  seenIndexes.set(ws, sight);
}

/** The paths, from the top level, whose index entry differs from `head`; undefined when the index was written since. */
export function stagedAsSeen(ws: Workspace, head: string): readonly string[] | undefined {
  const sight = seenIndexes.get(ws);
  if (sight?.head !== head || sight.index !== indexPrint(ws)) return undefined;
  return sight.staged;
}
