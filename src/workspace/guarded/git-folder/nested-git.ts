import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { remembering } from "../../git/file-stamp.ts";
import { realPath } from "../../git/paths.ts";
import type { Workspace } from "../../workspace.ts";
import { valuesIn } from "../config-files.ts";
import { entriesOf, kindOf } from "../remembered.ts";

/** More linked work trees, or submodules, are not guarded. */
const maxEach = 200;
/** Folders in which submodules are searched. */
const maxFolders = 2000;
/** Bytes of a file that names one path. */
const maxBytes = 4096;

/** The files by which other work trees and submodules of a repository make git start programs. */
export interface NestedGit {
  /** Existing or not. */
  readonly files: readonly string[];
  /** Those of the files that are configuration of git. */
  readonly configs: readonly string[];
  /** The folders of the submodules' hooks. */
  readonly hooks: readonly string[];
}

/**
 * Returns the files that lead git to the configuration of another linked work tree or of a submodule, and that configuration:
 * an agent that rewrites one has its programs started by the next git there. A repository whose git folder is in its own tree is
 * not among them. Starts no process.
 */
export function nestedGit(ws: Workspace): NestedGit {
  const trees = linkedTrees(ws);
  const modules = submodulesOf(ws);
  const above = join(ws.commonDir, "config.worktree");
  return {
    files: [
      // Of the main work tree, when this one is linked.
      join(ws.commonDir, "commondir"),
      above,
      ...trees.flatMap(ofTree),
      ...modules.flatMap(ofModule),
    ],
    configs: [
      above,
      ...trees.map((folder) => join(folder, "config.worktree")),
      ...modules.flatMap((folder) => ["config", "config.worktree"].map((name) => join(folder, name))),
    ],
    hooks: modules.map((folder) => join(folder, "hooks")),
  };
}

function linkedTrees({ commonDir }: Workspace): readonly string[] {
  return namesIn(join(commonDir, "worktrees")).slice(0, maxEach);
}

/** Returns the git folders of the submodules that are guarded. */
export function submodulesOf(ws: Workspace): readonly string[] {
  return modulesOf([ws.commonDir, ...linkedTrees(ws)]);
}

function ofTree(folder: string): readonly string[] {
  const leads = ["commondir", "gitdir", "config.worktree"].map((name) => join(folder, name));
  const named = pathIn(join(folder, "gitdir"));
  return [...leads, ...(named === "" ? [] : gitFile(resolve(folder, named)))];
}

const alternates = ["objects/info/alternates", "objects/info/http-alternates"];
const ofEachModule = ["commondir", "config", "config.worktree", "info", "info/attributes", ...alternates];

function ofModule(folder: string): readonly string[] {
  const tree = valuesIn(join(folder, "config")).find(
    ({ section, key }) => section === "core" && key === "worktree",
  );
  return [
    ...ofEachModule.map((name) => join(folder, name)),
    ...(tree === undefined ? [] : gitFile(join(resolve(folder, tree.value), ".git"))),
  ];
}

/** Returns the file `.git` of a work tree by its real path; nothing if something else is there. */
function gitFile(path: string): readonly string[] {
  const real = join(realPath(dirname(path)), ".git");
  return path.endsWith("/.git") && kindOf(real) === "file" ? [real] : [];
}

/** Returns true while no link leads elsewhere on the way to a file that `nestedGit` named. */
export function isReached(path: string): boolean {
  const folder = dirname(path);
  return realPath(folder) === folder && kindOf(folder) === "folder";
}

/** Returns the git folders of submodules, and of theirs. Their names may contain slashes. */
function modulesOf(gitFolders: readonly string[]): readonly string[] {
  const found: string[] = [];
  const open = gitFolders.map((folder) => join(folder, "modules"));
  for (let looked = 0; looked < maxFolders && found.length < maxEach; looked++) {
    const folder = open.shift();
    if (folder === undefined) break;
    const isModule = kindOf(join(folder, "HEAD")) === "file";
    if (isModule) found.push(folder);
    for (const one of isModule ? [join(folder, "modules")] : namesIn(folder)) open.push(one);
  }
  return found;
}

const foldersIn = remembering("lstat", (folder): readonly string[] =>
  entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .toSorted(),
);

function namesIn(folder: string): readonly string[] {
  return kindOf(folder) === "folder" ? foldersIn(folder) : [];
}

const pathIn = remembering("lstat", (path, stats): string => {
  const text = stats?.isFile() && stats.size <= maxBytes ? readFileSync(path, "utf8") : "";
  return (text.split("\n", 1)[0] ?? "").trimEnd();
});
