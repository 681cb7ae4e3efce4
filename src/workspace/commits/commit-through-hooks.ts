import { join } from "node:path";
import { nameSome } from "../../base/text.ts";
import { git, gitRead, splitNul } from "../git/git.ts";
import { adoptEntries, stagedSince } from "../git/index-entries.ts";
import { pathKind } from "../git/paths.ts";
import { withPrivateIndex } from "../git/private-index.ts";
import { type Head, readHead } from "../git/read-head.ts";
import { stagePaths } from "../git/stage-paths.ts";
import type { Workspace } from "../workspace.ts";
import {
  type CommitEnd,
  CommitRefused,
  commitFailed,
  commitIndex,
  type IndexCommit,
  runCommit,
} from "./commit-index.ts";
import { moveHead } from "./move-head.ts";

interface Staging {
  /** HEAD. */
  readonly before: string;
  /** Relative to the top level. */
  readonly paths: readonly string[];
  /** True: nothing else is staged. */
  readonly isAlone: boolean;
  /** Called with the tree to commit before a hook runs. */
  readonly onTree: (tree: string) => Promise<void>;
  /** Called with a sentence about what the code of hooks did and was not kept. */
  readonly report: (warning: string) => void;
}

/**
 * Commits the paths with the repository's hooks, from a private index: a refusal, or a kill while a hook runs, leaves the user's
 * index as it was. Hooks run the project's tests, which the agent may have written. A commit of theirs, a branch that they moved,
 * and content that they put into the commit but not into the work tree are not kept: the commit is then made without hooks.
 * Errors: as of `commitPaths`.
 */
export async function commitThroughHooks(
  ws: Workspace,
  request: IndexCommit,
  staging: Staging,
): Promise<{ readonly hash: string; readonly created: boolean }> {
  const { before, paths, isAlone } = staging;
  const from = await readHead(ws);
  const again = await withPrivateIndex(ws, isAlone ? null : before, async (indexFile) => {
    await stagePaths(ws, paths, indexFile);
    const tree = (await git(ws, ["write-tree"], { indexFile })).stdout.trim();
    await staging.onTree(tree);
    const end = await runCommit(ws, request, { indexFile });
    return (await isMade(ws, { ...staging, from, tree, indexFile, end })) ? null : tree;
  });
  if (again !== null)
    await withPrivateIndex(ws, again, (indexFile) =>
      commitIndex(ws, { ...request, hooks: false }, { before, indexFile }),
    );
  await adoptEntries(ws, { since: before, paths });
  const { hash } = await readHead(ws);
  return { hash: hash ?? before, created: hash !== before };
}

interface Ended extends Pick<Staging, "before" | "report"> {
  readonly from: Head;
  /** The tree to commit. */
  readonly tree: string;
  readonly indexFile: string;
  readonly end: CommitEnd;
}

/**
 * Judges by HEAD whether the commit was made, or none was needed. Puts HEAD back, and returns false, for another one than the work
 * should have. Throws as `commitPaths` if a hook or git refused.
 */
async function isMade(ws: Workspace, ended: Ended): Promise<boolean> {
  const { before, report, from, indexFile, end } = ended;
  const now = await readHead(ws);
  const failure = end.result.code === 0 ? null : commitFailed(end);
  if (now.hash === before && now.ref === from.ref) {
    if (failure === null) report(`${byCode} removed the commit: ${instead}`);
    // Git refuses an empty commit.
    else if ((await stagedSince(ws, before, { indexFile })).length > 0) throw failure;
    return failure !== null;
  }
  const fault = await faultOf(ws, { ...ended, now });
  if (fault === null) return true;
  await moveHead(ws, { from: now, to: { hash: before, ref: from.ref }, reason: movedByHook });
  report(`${byCode} ${fault}: ${instead}`);
  if (failure instanceof CommitRefused) throw failure;
  return false;
}

const byCode = "code that a hook ran";
const instead = "committed what was verified, without hooks";
const movedByHook = "ralph: put back, as a hook moved it";

interface Examined extends Pick<Ended, "from" | "indexFile" | "tree"> {
  readonly now: Head;
}

/** Returns what is wrong with HEAD after a commit, as the end of a sentence about who did it; null: nothing. */
export async function faultOf(
  ws: Workspace,
  { from, now, tree, indexFile }: Examined,
): Promise<string | null> {
  if (now.ref !== from.ref) return "switched to another branch, which is undone";
  if (now.hash === null) return "deleted the branch, which is put back";
  const ancestry = ["merge-base", "--is-ancestor", from.hash ?? "", now.hash];
  if ((await gitRead(ws, ancestry, { accept: "any" })).code !== 0)
    return "moved the branch, which is put back";
  const differing = await changesBetween(ws, tree, now.hash);
  if (differing.length === 0) return null;
  const elsewhere = new Set(await unlikeTree(ws, now.hash, indexFile));
  const planted = differing.filter(({ path, isGone }) =>
    isGone ? pathKind(join(ws.topLevel, path)) !== undefined : elsewhere.has(path),
  );
  if (planted.length === 0) return null;
  const names = nameSome(planted.map(({ path }) => path));
  return `put other content than the work tree's into the commit (${names})`;
}

interface Change {
  readonly path: string;
  /** The second tree does not have it. */
  readonly isGone: boolean;
}

/** Returns the paths, relative to the top level, in which two trees or commits differ. */
export async function changesBetween(ws: Workspace, one: string, other: string): Promise<readonly Change[]> {
  const args = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", one, other];
  const fields = splitNul((await gitRead(ws, args)).stdout);
  return Array.from({ length: fields.length >> 1 }, (_, at) => ({
    path: fields[2 * at + 1] ?? "",
    isGone: fields[2 * at] === "D",
  }));
}

/** Returns the paths of the commit, or staged in the index, whose content in the work tree is another. */
async function unlikeTree(ws: Workspace, commit: string, indexFile: string): Promise<readonly string[]> {
  const args = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty"];
  return splitNul((await gitRead(ws, [...args, commit], { indexFile })).stdout);
}
