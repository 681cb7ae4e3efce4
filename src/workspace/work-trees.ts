import { cpSync } from "node:fs";
import { join } from "node:path";
import { lookAt, makeFolders } from "../base/careful-files.ts";
import { git, gitPaths, gitRead } from "./git/git.ts";
import { resolveCommit } from "./git/read-head.ts";
import { removeFolder } from "./git/remove-folder.ts";
import type { Workspace } from "./git/workspace.ts";

/** The file that lists, in the syntax of `.gitignore`, which ignored files a work tree needs (`.env`). */
const includeFile = ".worktreeinclude";

/**
 * Makes a work tree of the repository at this commit, with no branch checked out. Replaces a folder of the same name; runs no
 * hook.
 */
export async function addWorkTree(ws: Workspace, folder: string, commit: string): Promise<void> {
  await removeWorkTree(ws, folder);
  makeFolders(join(folder, ".."));
  await git(ws, ["worktree", "add", "--quiet", "--force", "--detach", folder, commit]);
}

/** Removes a work tree with all that is in it. Does nothing where there is none. */
export async function removeWorkTree(ws: Workspace, folder: string): Promise<void> {
  await removeFolder(ws, folder);
  await git(ws, ["worktree", "prune"]);
}

/** Makes the tracked files those of a commit; removes what git neither tracks nor ignores. */
export async function moveWorkTree(ws: Workspace, commit: string): Promise<void> {
  await git(ws, ["checkout", "--quiet", "--force", "--detach", commit]);
  await git(ws, ["clean", "--quiet", "-d", "--force", "--exclude=.ralph"]);
}

/** Copies the ignored files that `.worktreeinclude` names from the top of one tree to that of another. Returns them. */
export async function copyIncluded(ws: Workspace, top: string): Promise<readonly string[]> {
  if (!lookAt(join(ws.topLevel, includeFile))?.isFile()) return [];
  const args = ["ls-files", "-z", "--others", "--ignored", `--exclude-from=${includeFile}`];
  const wanted = await gitPaths(ws, args);
  for (const path of wanted) cpSync(join(ws.topLevel, path), join(top, path), { recursive: true });
  return wanted;
}

/** Creates a branch at a commit and checks it out nowhere. A branch of this name stays as it is. Returns its full name. */
export async function makeBranch(ws: Workspace, name: string, commit: string): Promise<string> {
  const ref = `refs/heads/${name}`;
  if ((await resolveCommit(ws, ref)) === null)
    await git(ws, ["branch", "--quiet", "--no-track", name, commit]);
  return ref;
}

/** Deletes a branch, if it is at `at`. */
export async function deleteBranch(ws: Workspace, ref: string, at: string): Promise<void> {
  await git(ws, ["update-ref", "-d", ref, at], { accept: "any" });
}

/** Moves a branch that no tree has checked out, if it is still at `from`. Returns false when it is not. */
export async function swapBranch(
  ws: Workspace,
  ref: string,
  { from, to, reason }: { readonly from: string; readonly to: string; readonly reason: string },
): Promise<boolean> {
  const { code } = await git(ws, ["update-ref", "-m", reason, ref, to, from], { accept: "any" });
  if (code === 0) return true;
  return (await resolveCommit(ws, ref)) === to;
}

/** Returns true if `ancestor` is a commit of the history of `commit`. */
export async function isAncestor(ws: Workspace, ancestor: string, commit: string): Promise<boolean> {
  const { code } = await gitRead(ws, ["merge-base", "--is-ancestor", ancestor, commit], { accept: "any" });
  return code === 0;
}

/** Returns how many commits `commit` has that `base` does not have. */
export async function commitsBeyond(ws: Workspace, base: string, commit: string): Promise<number> {
  return Number((await gitRead(ws, ["rev-list", "--count", `${base}..${commit}`])).stdout);
}

/** Returns true where all files that `tip` changed since the common commit are in `commit` as they are in `tip`. */
export async function addsNothing(ws: Workspace, tip: string, commit: string): Promise<boolean> {
  const { code, stdout } = await gitRead(ws, ["merge-base", commit, tip], { accept: "any" });
  if (code !== 0) return false;
  const changed = (from: string) => gitPaths(ws, ["diff", "--name-only", "--no-renames", "-z", from, tip]);
  const [own, differing] = await Promise.all([changed(stdout.trim()), changed(commit)]);
  return !own.some((path) => differing.includes(path));
}

/** Returns the folder of the tree that has this branch checked out; null: none has. */
export async function treeOfBranch(ws: Workspace, ref: string): Promise<string | null> {
  const { stdout } = await gitRead(ws, ["worktree", "list", "--porcelain", "-z"]);
  let folder = "";
  for (const line of stdout.split("\0")) {
    if (line.startsWith("worktree ")) folder = line.slice("worktree ".length);
    if (line === `branch ${ref}`) return folder;
  }
  return null;
}
