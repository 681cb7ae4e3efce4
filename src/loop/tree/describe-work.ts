import type { Outcome } from "../../outcome/outcome.ts";
import { type Baseline, workSince } from "../../workspace/baseline.ts";
import { diffStat, hunkHeads } from "../../workspace/diff.ts";
import { leftBehind } from "../../workspace/tree-fingerprint.ts";
import type { Loop } from "../rows/loop.ts";

/** More files say little about an approach. */
const maxFiles = 20;

/**
 * Adds facts about the changes that an attempt left: the name of its tree, to tell progress from repetition, and the lines
 * per file of a failed one or the hunks of one that is done after failures. `from`: the commit where its task began. A
 * first attempt that is done needs none of them.
 */
export async function describeWork(
  { workspace }: Pick<Loop, "workspace">,
  from: string | null,
  outcome: Outcome,
): Promise<Outcome> {
  const done = outcome.name === "done";
  if (done && outcome.attempt === 1) return outcome;
  const { commits, changedPaths, files, usersFiles } = outcome.work;
  const left = await leftBehind(workspace, { from, commits, changedPaths });
  const tree = left === noChanges && usersFiles.length > 0 ? onlyUsersFiles : left;
  if (from === null) return { ...outcome, tree };
  const diff = { from, paths: files.slice(0, maxFiles) };
  const facts = done
    ? { hunks: await hunkHeads(workspace, diff) }
    : { changes: await diffStat(workspace, diff) };
  return { ...outcome, tree, work: { ...outcome.work, ...facts } };
}

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
