import type { Reader } from "../store/port/db.ts";
import { workSince } from "../workspace/baseline.ts";
import { diffOfCommits, diffOfTree } from "../workspace/diff.ts";
import type { Workspace } from "../workspace/git/workspace.ts";
import { finishedCommits } from "./rows/pending-commit-store.ts";
import { readSalvage } from "./rows/salvage-store.ts";
import { readWorkspaceState } from "./rows/workspace-state-store.ts";

/** The changes of a task, as unified diffs with paths relative to the project root. */
interface TaskDiff {
  /** Oldest first. */
  readonly commits: readonly { readonly hash: string; readonly diff: string }[];
  /** Unfinished work in the tree, new files and the agent's own commits included; null: the tree holds none of this task. */
  readonly uncommitted: string | null;
  /** Unfinished work that was taken out of the tree, with the ref that keeps it; null: none. */
  readonly salvaged: { readonly ref: string; readonly diff: string } | null;
}

/** Reads the changes of a task: its commits, and its unfinished work, in the tree or salvaged. */
export async function taskDiff(
  { db, workspace }: { readonly db: Reader; readonly workspace: Workspace },
  taskId: string,
): Promise<TaskDiff> {
  const state = await readWorkspaceState(db, workspace);
  const commits = [];
  for (const { base, hash } of (await finishedCommits(db, taskId)).toReversed())
    commits.push({ hash, diff: await diffOfCommits(workspace, base, hash) });
  const ref = await readSalvage(db, taskId);
  const salvaged = ref === null ? null : { ref, diff: await diffOfCommits(workspace, `${ref}^1`, ref) };
  if (state.kind === "free" || state.taskId !== taskId || state.baseline.head === null)
    return { commits, uncommitted: null, salvaged };
  const { baseline } = state;
  const { changedPaths, files } = await workSince(workspace, { baseline, startHead: baseline.head });
  const paths = [...new Set([...changedPaths, ...files])];
  const uncommitted = await diffOfTree(workspace, { from: state.baseline.head, paths });
  return { commits, uncommitted: uncommitted === "" ? null : uncommitted, salvaged };
}
