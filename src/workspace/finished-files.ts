import type { Baseline } from "./baseline.ts";
import { git } from "./git/git.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { stagePaths } from "./git/stage-paths.ts";
import type { Workspace } from "./workspace.ts";

/**
 * The baseline with those of `paths` in it that are still uncommitted: what earlier tasks finished. They are held as a
 * commit of no branch, which git keeps for weeks.
 */
export async function holdFinished(
  ws: Workspace,
  baseline: Baseline,
  paths: readonly string[],
): Promise<Baseline> {
  const { head, dirty, untracked } = baseline;
  const there = new Set([...dirty, ...untracked].map(({ path }) => path));
  const finished = paths.filter((path) => there.has(path));
  if (head === null || finished.length === 0) return baseline;
  const commit = await withPrivateIndex(ws, head, async (indexFile) => {
    await stagePaths(
      ws,
      finished.map((path) => ws.prefix + path),
      indexFile,
    );
    const tree = (await git(ws, ["write-tree"], { indexFile })).stdout.trim();
    const stdin = "ralph: what finished tasks left uncommitted\n";
    return (await git(ws, ["commit-tree", tree, "-p", head], { stdin })).stdout.trim();
  });
  return { ...baseline, finished: { paths: finished, commit } };
}
