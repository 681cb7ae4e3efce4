import { RalphError } from "../../../base/errors.ts";
import { childEnvironment } from "../../../config/environment.ts";
import { type UnmergedBranch, unmergedBranch } from "../../../loop/rows/unmerged-branch.ts";
import type { Reader } from "../../../store/port/db.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";

/** Returns what workers landed on a branch that HEAD does not have; null also where git is not usable. */
export async function unmergedWork(db: Reader, root: string): Promise<UnmergedBranch | null> {
  try {
    const workspace = await openWorkspace(root, childEnvironment(), { needCommit: false });
    return await unmergedBranch({ db, workspace });
  } catch (error) {
    if (error instanceof RalphError) return null;
    throw error;
  }
}
