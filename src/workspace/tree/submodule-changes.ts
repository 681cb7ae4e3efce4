import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gitPaths, gitRead, splitNul } from "../git/git.ts";
import { kindsIn, pathKind } from "../git/paths.ts";
import { fromTop, inScope } from "../git/project-paths.ts";
import type { Workspace } from "../git/workspace.ts";

/** Submodules beyond this number, and files beyond that one, are not looked at. */
const maxModules = 50;
const maxFiles = 1000;
const maxGitFileBytes = 4096;
const maxIndexBytes = 64 * 1024 ** 2;
const timeoutMs = 10_000;

/** The files in submodules that differ from the submodule's index or are new in it: no commit of the project can hold them. */
export interface SubmoduleChanges {
  /** Relative to the project; absent if there is none, and in a store of an early version. */
  readonly inSubmodules?: readonly string[];
}

/** Records the changed files in submodules. */
export async function submoduleChanges(ws: Workspace): Promise<SubmoduleChanges> {
  const found = await changesInSubmodules(ws);
  return found.length === 0 ? {} : { inSubmodules: found };
}

/** Returns the files in submodules that were not changed `before`. */
export async function changedInSubmodules(
  ws: Workspace,
  { inSubmodules: before = [] }: SubmoduleChanges,
): Promise<readonly string[]> {
  return (await changesInSubmodules(ws)).filter((path) => !before.includes(path));
}

/** Reads by this repository's settings, as those of a submodule may be an agent's. Empty where git fails. */
async function changesInSubmodules(ws: Workspace): Promise<readonly string[]> {
  if (!pathKind(join(ws.topLevel, ".gitmodules"))?.isFile()) return [];
  const modules = (await modulesIn(ws)).slice(0, maxModules);
  const found = await Promise.all(modules.map((path) => changesIn(ws, path)));
  return found.flat().slice(0, maxFiles);
}

/** Returns the paths of the submodules below the project, relative to the top of the work tree. */
async function modulesIn(ws: Workspace): Promise<readonly string[]> {
  const entries = await gitPaths(ws, ["ls-files", "--stage", "-z", ...inScope(ws)], { accept: "any" });
  const kindOf = kindsIn(ws.topLevel);
  return entries
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1))
    .filter((path) => kindOf(path)?.isDirectory());
}

async function changesIn(ws: Workspace, path: string): Promise<readonly string[]> {
  const folder = join(ws.topLevel, path);
  const index = indexOf(folder);
  if (index === undefined) return [];
  const env = { ...ws.env, GIT_DIR: ws.gitDir, GIT_WORK_TREE: folder };
  const place = { topLevel: folder, env, program: ws.program };
  const args = ["ls-files", "-z", "--modified", "--others", "--exclude-standard"];
  const options = { indexFile: index, accept: "any", timeoutMs } as const;
  const { code, stdout } = await gitRead(place, args, options);
  const own = fromTop(ws, path);
  return code === 0 ? [...new Set(splitNul(stdout))].map((file) => `${own}/${file}`) : [];
}

/** Returns the git folder of the submodule in `folder`; undefined if it is not checked out, or something else is there. */
export function gitDirOf(folder: string): string | undefined {
  const git = join(folder, ".git");
  const found = pathKind(git);
  const gitDir = found?.isDirectory() ? git : found?.isFile() ? namedIn(git, found.size) : undefined;
  return gitDir === undefined ? undefined : resolve(folder, gitDir);
}

function indexOf(folder: string): string | undefined {
  const gitDir = gitDirOf(folder);
  if (gitDir === undefined) return undefined;
  const index = join(gitDir, "index");
  const kind = pathKind(index);
  return kind?.isFile() && kind.size <= maxIndexBytes ? index : undefined;
}

function namedIn(file: string, size: number): string | undefined {
  if (size > maxGitFileBytes) return undefined;
  return /^gitdir: (.+)$/m.exec(readFileSync(file, "utf8"))?.[1];
}
