import { type Baseline, withoutPersonsFiles } from "../../workspace/baseline.ts";
import { rollbackRef } from "../../workspace/salvage.ts";
import type { Loop } from "../loop.ts";

/**
 * Takes a person's uncommitted files out of the commits that the task's agent made (LOOP-9): they stay in the tree, and
 * staged as they were. Returns a warning for each, also where git does not allow it.
 */
export async function takeOutEdits(
  { workspace }: Pick<Loop, "workspace">,
  baseline: Baseline,
): Promise<readonly string[]> {
  const { head } = baseline;
  if (head === null) return [];
  const keptAs = rollbackRef(head);
  const { paths, refused } = await withoutPersonsFiles(workspace, baseline, keptAs);
  return paths.map((path) =>
    refused === null
      ? `${path}, which you had not committed, was in a commit that the agent made: taken out of it (as it was: git log ${keptAs})`
      : `${path}, which you had not committed, is in a commit that the agent made, and stays there: ${refused}`,
  );
}
