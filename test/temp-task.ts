import { type Baseline, protectedPaths, takeBaseline, workSince } from "../src/workspace/baseline.ts";
import type { Workspace } from "../src/workspace/git/workspace.ts";
import { salvage } from "../src/workspace/salvage.ts";
import { gitEnv, type TempRepository, tempRepository } from "./temp-repository.ts";
import { openRunWorkspace } from "./temp-workspace.ts";

/** Where the task's work is saved. */
export const salvageRef = "refs/ralph/salvage/t-1-1";

/** A repository in which a task has just begun. */
export interface TempTask extends TempRepository {
  readonly ws: Workspace;
  readonly baseline: Baseline;
  /** Salvages what was done since the task began. */
  setAside(as?: Workspace): ReturnType<typeof salvage>;
}

export async function beginTask(repository: TempRepository = tempRepository()): Promise<TempTask> {
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const baseline = await takeBaseline(ws, { mayBeDirty: "all" });
  const startHead = baseline.head ?? "";
  const setAside = async (as = ws): ReturnType<typeof salvage> => {
    const { changedPaths } = await workSince(as, { baseline, startHead });
    const keep = protectedPaths(baseline);
    const startBranch = baseline.branch;
    return salvage(as, {
      ref: salvageRef,
      paths: changedPaths,
      startHead,
      keep,
      startBranch,
      message: "t-1, attempt 1",
    });
  };
  return { ...repository, ws, baseline, setAside };
}
