import { type Baseline, workSince } from "../../workspace/baseline.ts";
import { leftBehind } from "../../workspace/tree-fingerprint.ts";
import type { Loop } from "../rows/loop.ts";

/** The name of a tree in which the task has changed nothing yet. */
export const noChanges = "nothing";

/** The name of a tree in which an attempt changed only a person's files. */
export const onlyUsersFiles = "users-files";

/** Returns a name for all changes since `baseline`, a user's files included: equal changes have equal names. */
export async function changesSince(loop: Pick<Loop, "workspace">, baseline: Baseline): Promise<string> {
  const work = await workSince(loop.workspace, { baseline, startHead: baseline.head });
  const changedPaths = [...work.changedPaths, ...work.protectedEdits];
  return leftBehind(loop.workspace, { from: baseline.head, commits: work.commits, changedPaths });
}
