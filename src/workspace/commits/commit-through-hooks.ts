import { adoptEntries } from "../git/index-entries.ts";
import { writeTree } from "../git/objects.ts";
import { withPrivateIndex } from "../git/private-index.ts";
import { readHead } from "../git/read-head.ts";
import { stagePaths } from "../git/stage-paths.ts";
import type { Workspace } from "../git/workspace.ts";
import { committedOrNothing, type IndexCommit } from "./commit-index.ts";

interface Staging {
  /** HEAD. */
  readonly before: string;
  /** Relative to the top level. */
  readonly paths: readonly string[];
  /** True: nothing else is staged. */
  readonly isAlone: boolean;
  /** Called with the tree to commit before a hook runs. */
  readonly onTree: (tree: string) => void;
}

/**
 * Commits the paths with the repository's hooks, from a private index: a refusal, or a kill while a hook runs, leaves the user's
 * index as it was. Errors: as of `commitPaths`.
 */
export async function commitThroughHooks(
  ws: Workspace,
  request: IndexCommit,
  { before, paths, isAlone, onTree }: Staging,
): Promise<{ readonly hash: string; readonly created: boolean }> {
  await withPrivateIndex(ws, isAlone ? null : before, async (indexFile) => {
    await stagePaths(ws, paths, indexFile);
    onTree(await writeTree(ws, indexFile));
    await committedOrNothing(ws, request, { before, indexFile });
  });
  await adoptEntries(ws, { since: before, paths });
  const { hash } = await readHead(ws);
  return { hash: hash ?? before, created: hash !== null && hash !== before };
}
