import { join } from "node:path";
import { makeFolders } from "../base/careful-files.ts";
import { gitPaths } from "./git/git.ts";
import { resetEntries } from "./git/index-entries.ts";
import { commitTree, writeTree } from "./git/objects.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { toTop } from "./git/project-paths.ts";
import { removeFolder } from "./git/remove-folder.ts";
import { stagePaths } from "./git/stage-paths.ts";
import type { Workspace } from "./git/workspace.ts";
import { type CleanCheckout, checkOut, placeOf } from "./tree/clean-checkout.ts";
import { fillModules } from "./tree/clean-modules.ts";

/**
 * A work tree outside of the project, with a git folder of its own that borrows the project's objects. Of the project only
 * objects are read and added: no ref, index, configuration or file of it changes, and no hook or filter runs.
 */
export interface CleanTree {
  /** Contains `tree`, `git` and `modules`, and nothing else. */
  readonly folder: string;
  /** The folder that corresponds to the project's root. */
  readonly root: string;
  readonly top: CleanCheckout;
  /** The submodules, by their path from the top. */
  modules: ReadonlyMap<string, CleanCheckout>;
}

/** The files of a clean tree. Paths are relative to the project's root. */
export interface CleanContent {
  /** The commit of HEAD. */
  readonly head: string;
  /** Uncommitted paths to include as they are in the work tree. */
  readonly paths: readonly string[];
  /** Paths to include as they are in the commit `from`, or not at all where it does not have them. */
  readonly asBefore: { readonly from: string; readonly paths: readonly string[] };
}

/** Creates the folders; removes what was in `folder` before. */
export async function openCleanTree(ws: Workspace, folder: string): Promise<CleanTree> {
  await removeFolder(ws, folder);
  makeFolders(folder);
  makeFolders(join(folder, "tree", ws.prefix));
  const objects = join(ws.commonDir, "objects");
  const top = { tree: join(folder, "tree"), gitDir: join(folder, "git"), objects };
  return { folder, root: join(folder, "tree", ws.prefix), top, modules: new Map() };
}

/** The contents of a clean tree. */
export interface Filled {
  readonly commit: string;
  /** Submodules that the project has without the commit that is asked for: their folders are empty. */
  readonly missing: readonly string[];
}

/**
 * Makes the tracked files of the clean tree those of a new commit with this content. Untracked files stay. Returns the
 * commit, which no ref of the project names.
 */
export async function fillCleanTree(ws: Workspace, clean: CleanTree, content: CleanContent): Promise<Filled> {
  const commit = await commitOf(ws, content);
  return { commit, missing: await checkOutClean(ws, clean, commit) };
}

/** Makes the tracked files of the clean tree, and of its submodules, those of this commit. Untracked files stay. Returns as `Filled.missing`. */
export async function checkOutClean(
  ws: Workspace,
  clean: CleanTree,
  commit: string,
): Promise<readonly string[]> {
  await checkOut(ws, clean.top, commit);
  const { modules, missing } = await fillModules(ws, clean, { checkout: clean.top, commit, path: "" });
  clean.modules = modules;
  return missing;
}

/** Returns the untracked paths of the clean tree; a folder without tracked files is one path that ends with `/`. */
export async function untrackedIn(ws: Workspace, clean: CleanTree): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--others", "--directory"];
  const all = [["", clean.top] as const, ...clean.modules].map(async ([path, checkout]) => {
    const own = (await gitPaths(placeOf(ws, checkout), args)).filter((one) => one !== ".git");
    return path === "" ? own : own.map((one) => `${path}/${one}`);
  });
  return (await Promise.all(all)).flat();
}

/** Removes untracked paths. */
export async function removeFrom(ws: Workspace, clean: CleanTree, paths: readonly string[]): Promise<void> {
  for (const path of paths) await removeFolder(ws, join(clean.folder, "tree", path));
}

/** Returns path and object of the commit's submodules and of its files whose path `matches`, as text that is equal for equal ones. */
export async function objectsOf(
  ws: Workspace,
  commit: string,
  matches: (path: string) => boolean,
): Promise<string> {
  return (await gitPaths(ws, ["ls-tree", "-r", "-z", "--full-tree", commit]))
    .filter((line) => line.startsWith("160000 ") || matches(line.slice(line.indexOf("\t") + 1)))
    .join("\n");
}

async function commitOf(ws: Workspace, { head, paths, asBefore }: CleanContent): Promise<string> {
  const below = (names: readonly string[]): string[] => names.map((name) => toTop(ws, name));
  const tree = await withPrivateIndex(ws, head, async (indexFile) => {
    await stagePaths(ws, below(paths), indexFile);
    if (asBefore.paths.length > 0)
      await resetEntries(ws, below(asBefore.paths), asBefore.from, { indexFile });
    return writeTree(ws, indexFile);
  });
  return commitTree(ws, { tree, parents: [head], message: "ralph: the work as it is verified\n" });
}
