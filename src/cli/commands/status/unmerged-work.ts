import { RalphError } from "../../../base/errors.ts";
import { childEnvironment } from "../../../config/environment.ts";
import { type UnmergedBranch, unmergedWork } from "../../../loop/rows/unmerged-branch.ts";
import type { Reader } from "../../../store/port/db.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";

/** Returns the landed work that HEAD does not have; null also where git is not usable. */
export async function readUnmerged(db: Reader, root: string): Promise<UnmergedBranch | null> {
  try {
    const workspace = await openWorkspace(root, childEnvironment(), { needCommit: false });
    return await unmergedWork({ db, workspace });
  } catch (error) {
    if (error instanceof RalphError) return null;
    throw error;
  }
}
