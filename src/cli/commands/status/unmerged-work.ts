import { RalphError } from "../../../base/errors.ts";
import { childEnvironment } from "../../../config/environment.ts";
import { type UnmergedBranch, unmergedBranches } from "../../../loop/rows/unmerged-branch.ts";
import type { Reader } from "../../../store/port/db.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";

/** Returns the landed work that HEAD does not have; none where git is not usable. */
export async function readUnmerged(db: Reader, root: string): Promise<readonly UnmergedBranch[]> {
  try {
    const workspace = await openWorkspace(root, childEnvironment(), { needCommit: false });
    return await unmergedBranches({ db, workspace });
  } catch (error) {
    if (error instanceof RalphError) return [];
    throw error;
  }
}
