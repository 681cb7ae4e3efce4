import { lstatSync, readdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookAt, makeFolders } from "../base/careful-files.ts";
import { removeTree } from "../process/run-tool.ts";
import { type GitPlace, git, gitRead, splitNul } from "./git/git.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { toTop } from "./git/project-paths.ts";
import { indexFingerprint } from "./git/seen-index.ts";
import { stagePaths } from "./git/stage-paths.ts";
import type { Workspace } from "./git/workspace.ts";

/**
 * A work tree outside of the project, with a git folder of its own that borrows the project's objects. Of the project only
 * objects are read and added: no ref, index, configuration or file of it changes, and no hook or filter runs.
 */
export interface CleanTree {
  /** Contains `tree` and `git`, and nothing else. */
  readonly folder: string;
  /** The folder that corresponds to the project's root. */
  readonly root: string;
  /** The index as ralph wrote it last; undefined: it is not known, and all files are written again. */
  index: string | undefined;
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
  return { folder, root: join(folder, "tree", ws.prefix), index: undefined };
}

/** Removes a folder that agents or verification filled: deep, closed and large ones too. What cannot be removed stays. */
export async function removeFolder({ env }: Pick<Workspace, "env">, folder: string): Promise<void> {
  const found = lookAt(folder);
  if (found?.isDirectory() && !removeFlat(folder)) await removeTree(folder, env);
  else if (found?.isDirectory() === false) rmSync(folder, { force: true });
}

/** More and larger files are removed beside the event loop. */
const flat = { files: 20, bytes: 1024 * 1024 };

/** Removes a folder of a few small files, as most temporary ones are, without a process. Returns false for any other. */
function removeFlat(folder: string): boolean {
  try {
    const paths = readdirSync(folder).map((name) => join(folder, name));
    const isSmall = (path: string): boolean => {
      const stats = lstatSync(path);
      return !stats.isDirectory() && stats.size <= flat.bytes;
    };
    if (paths.length > flat.files || !paths.every(isSmall)) return false;
    for (const path of paths) unlinkSync(path);
    rmdirSync(folder);
    return true;
  } catch {
    // Closed, or used meanwhile.
    return false;
  }
}

/**
 * Makes the tracked files of the clean tree those of a new commit with this content. Untracked files stay. Returns the
 * commit, which no ref of the project names.
 */
export async function fillCleanTree(ws: Workspace, clean: CleanTree, content: CleanContent): Promise<string> {
  const commit = await commitOf(ws, content);
  await checkOutClean(ws, clean, commit);
  return commit;
}

/** Makes the tracked files of the clean tree those of this commit. Untracked files stay. */
export async function checkOutClean(ws: Workspace, clean: CleanTree, commit: string): Promise<void> {
  const place = await prepareGitFolder(ws, clean, commit);
  await git(place, ["read-tree", "--reset", "-u", commit]);
  clean.index = fingerprintOf(ws, clean);
}

/** Returns the untracked paths of the clean tree; a folder without tracked files is one path that ends with `/`. */
export async function untrackedIn(ws: Workspace, clean: CleanTree): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--others", "--directory"];
  return splitNul((await gitRead(placeOf(ws, clean), args)).stdout).filter((path) => path !== ".git");
}

/** Removes untracked paths. */
export async function removeFrom(ws: Workspace, clean: CleanTree, paths: readonly string[]): Promise<void> {
  for (const path of paths) await removeFolder(ws, join(clean.folder, "tree", path));
}

/** Returns path and object of the commit's files whose path `matches`, as text that is equal for equal files. */
export async function objectsOf(
  ws: Workspace,
  commit: string,
  matches: (path: string) => boolean,
): Promise<string> {
  const { stdout } = await gitRead(ws, ["ls-tree", "-r", "-z", "--full-tree", commit]);
  return splitNul(stdout)
    .filter((line) => matches(line.slice(line.indexOf("\t") + 1)))
    .join("\n");
}

async function commitOf(ws: Workspace, { head, paths, asBefore }: CleanContent): Promise<string> {
  const below = (names: readonly string[]): string[] => names.map((name) => toTop(ws, name));
  const tree = await withPrivateIndex(ws, head, async (indexFile) => {
    await stagePaths(ws, below(paths), indexFile);
    await stageFrom(ws, { from: asBefore.from, paths: below(asBefore.paths) }, indexFile);
    return (await git(ws, ["write-tree"], { indexFile })).stdout.trim();
  });
  const args = ["-c", "commit.gpgSign=false", "commit-tree", tree, "-p", head, "-F", "-"];
  return (await git(ws, args, { stdin: "ralph: the work as it is verified\n" })).stdout.trim();
}

async function stageFrom(
  ws: Workspace,
  { from, paths }: CleanContent["asBefore"],
  indexFile: string,
): Promise<void> {
  if (paths.length === 0) return;
  const { stdout } = await gitRead(ws, ["ls-tree", "-r", "-z", "--full-tree", from, "--", ...paths]);
  const entries = splitNul(stdout).map((line) => {
    // `<mode> <type> <object>\t<path>`
    const [mode = "", , object = ""] = line.slice(0, line.indexOf("\t")).split(" ");
    return `${mode} ${object}\t${line.slice(line.indexOf("\t") + 1)}\0`;
  });
  const hashChars = from.length;
  const removals = paths.map((path) => `0 ${"0".repeat(hashChars)}\t${path}\0`);
  await git(ws, ["update-index", "-z", "--index-info"], {
    indexFile,
    stdin: [...removals, ...entries].join(""),
  });
}

/** Attributes with precedence over those of the project: no filter runs, as it could be the agent's program. */
const attributes = "* -filter -ident -working-tree-encoding\n";

/**
 * Rebuilds the git folder: verification runs the agent's code, which could have changed it. The index stays while it is
 * as ralph left it, so that only changed files are written.
 */
async function prepareGitFolder(ws: Workspace, clean: CleanTree, commit: string): Promise<GitPlace> {
  const gitDir = join(clean.folder, "git");
  const keepsIndex = clean.index !== undefined && fingerprintOf(ws, clean) === clean.index;
  makeFolders(gitDir);
  for (const name of readdirSync(gitDir)) {
    if (!(keepsIndex && name === "index")) await removeFolder(ws, join(gitDir, name));
  }
  const isSha256 = commit.length === 64;
  const format = isSha256 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  const files = {
    HEAD: `${commit}\n`,
    config: `[core]\n\trepositoryFormatVersion = ${isSha256 ? 1 : 0}\n\tworktree = ../tree\n\thooksPath = /dev/null\n${format}`,
    "info/attributes": attributes,
    "objects/info/alternates": `${join(ws.commonDir, "objects")}\n`,
  };
  for (const folder of ["info", "objects/info", "refs/heads"]) makeFolders(join(gitDir, folder), 0o777);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(gitDir, name), text);
  const link = join(clean.folder, "tree", ".git");
  await removeFolder(ws, link);
  writeFileSync(link, "gitdir: ../git\n");
  return placeOf(ws, clean);
}

function placeOf({ env, program }: Workspace, { folder }: CleanTree): GitPlace {
  const own = { GIT_DIR: join(folder, "git"), GIT_WORK_TREE: join(folder, "tree") };
  const topLevel = join(folder, "tree");
  return { topLevel, env: { ...env, ...own, GIT_CONFIG_GLOBAL: "/dev/null" }, program };
}

function fingerprintOf(ws: Workspace, { folder }: CleanTree): string | undefined {
  return indexFingerprint({ ...ws, gitDir: join(folder, "git") });
}
