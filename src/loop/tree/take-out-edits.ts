import { type Baseline, withoutPersonsFiles } from "../../workspace/baseline.ts";
import { contextFile } from "../../workspace/git/paths.ts";
import { dropStatusAhead } from "../../workspace/git/status.ts";
import { rollbackRef } from "../../workspace/salvage.ts";
import type { Loop } from "../rows/loop.ts";
import { leftOut, notLeftOut } from "./left-out.ts";

/** A person may have a folder of thousands of files that git does not know. */
const maxNamed = 10;

/**
 * Takes a person's uncommitted files, and the one that ralph writes for other programs, out of the commits that the task's
 * agent made (LOOP-9): they stay in the tree, and staged as they were. Returns a warning for each of the
 * first ones and one for the others, also where git does not allow it.
 */
export async function takeOutEdits(
  { byproducts, workspace }: Pick<Loop, "byproducts" | "workspace">,
  baseline: Baseline,
): Promise<readonly string[]> {
  const { head } = baseline;
  if (head === null) return [];
  const keptAs = rollbackRef(head);
  const out = new Set<string>();
  const leaveOut = async (committed: readonly string[]): Promise<readonly string[]> => {
    const kept = new Set(notLeftOut(committed, await leftOut(workspace, { since: head, paths: committed })));
    for (const path of committed) if (!kept.has(path)) out.add(path);
    return [...out];
  };
  const taken = await withoutPersonsFiles(workspace, baseline, { keptAs, leaveOut });
  const { refused } = taken;
  if (taken.paths.length > 0) dropStatusAhead(workspace);
  // Names what was taken out together with what the agent did not commit.
  const paths = taken.paths.filter(
    (path) => refused !== null || !(out.has(path) || byproducts.written.has(path)),
  );
  const more = paths.length - maxNamed;
  const others =
    refused === null
      ? `were in a commit that the agent made: taken out of it (as it was: git log ${keptAs})`
      : `are in a commit that the agent made, and stay there: ${refused}`;
  const named = paths.slice(0, maxNamed).map((path) => {
    const isOut = path === contextFile || out.has(path);
    const whose = isOut ? "which ralph never commits" : "which you had not committed";
    const hint = path === contextFile ? `; to ignore it, add the line ${contextFile} to .gitignore` : "";
    return refused === null
      ? `${path}, ${whose}, was in a commit that the agent made: taken out of it (as it was: git log ${keptAs}${hint})`
      : `${path}, ${whose}, is in a commit that the agent made, and stays there: ${refused}`;
  });
  return more > 0 ? [...named, `${more} more files, which you had not committed, ${others}`] : named;
}
