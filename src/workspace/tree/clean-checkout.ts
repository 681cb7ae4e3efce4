import { writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lookAt, makeFolders } from "../../base/careful-files.ts";
import { type GitOptions, type GitPlace, git } from "../git/git.ts";
import { removeFolder } from "../git/remove-folder.ts";
import type { Workspace } from "../git/workspace.ts";

/** A repository or submodule checked out in a clean tree, with a git folder of its own that borrows objects. */
export interface CleanCheckout {
  /** Where the files are. */
  readonly tree: string;
  readonly gitDir: string;
  /** The folder of the objects that it borrows. */
  readonly objects: string;
}

/** Makes the tracked files those of the commit; untracked files stay. Returns false where git fails with a code that is accepted. */
export async function checkOut(
  ws: Workspace,
  at: CleanCheckout,
  commit: string,
  options: Pick<GitOptions, "accept"> = {},
): Promise<boolean> {
  const place = prepareGitFolder(ws, at, commit);
  return (await git(place, ["read-tree", "--reset", "-u", commit], options)).code === 0;
}

/** Returns where git works on the checkout, without a person's settings. */
export function placeOf({ env, program }: Workspace, { gitDir, tree }: CleanCheckout): GitPlace {
  const own = { GIT_DIR: gitDir, GIT_WORK_TREE: tree };
  return { topLevel: tree, env: { ...env, ...own, GIT_CONFIG_GLOBAL: "/dev/null" }, program };
}

/** Attributes with precedence over those of the project: no filter runs, as it could be the agent's program. */
const attributes = "* -filter -ident -working-tree-encoding\n";

/** Writes the files of the git folder but its index, by which only changed files are written. */
function prepareGitFolder(ws: Workspace, at: CleanCheckout, commit: string): GitPlace {
  const { gitDir, tree } = at;
  const isSha256 = commit.length === 64;
  const format = isSha256 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  const files = {
    HEAD: `${commit}\n`,
    config: `[core]\n\trepositoryFormatVersion = ${isSha256 ? 1 : 0}\n\tworktree = ${relative(gitDir, tree)}\n\thooksPath = /dev/null\n${format}`,
    "info/attributes": attributes,
    "objects/info/alternates": `${at.objects}\n`,
  };
  for (const folder of ["info", "objects/info", "refs/heads"]) makeFolders(join(gitDir, folder), 0o777);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(gitDir, name), text);
  writeFileSync(join(tree, ".git"), `gitdir: ${relative(tree, gitDir)}\n`);
  return placeOf(ws, at);
}

/** Makes `folder` a folder of the tree in which it lies: verification could have put links or files in its way. */
export async function makeInside(ws: Workspace, tree: string, folder: string): Promise<void> {
  if (folder === tree) return;
  await makeInside(ws, tree, dirname(folder));
  if (!lookAt(folder)?.isDirectory()) await removeFolder(ws, folder);
  makeFolders(folder, 0o777);
}
