import { join } from "node:path";
import { gitPaths } from "./git/git.ts";
import { kindsIn, parentsOf, pathKind } from "./git/paths.ts";
import { fromTop, inScope, toTop } from "./git/project-paths.ts";
import type { Workspace } from "./git/workspace.ts";

/**
 * Returns those of the changed `paths` that are git repositories of their own, without submodules and those that the commit
 * `since` has: no commit of the project holds the files in them. All paths are relative to the project.
 */
export async function nestedRepositories(
  ws: Workspace,
  { since, paths }: { readonly since: string | null; readonly paths: readonly string[] },
): Promise<readonly string[]> {
  const kindOf = kindsIn(ws.root);
  const folders = paths.map((path) => path.replace(/\/$/, ""));
  const nested = folders.filter(
    (path) => kindOf(path)?.isDirectory() && pathKind(join(ws.root, path, ".git")) !== undefined,
  );
  if (nested.length === 0) return [];
  const known = new Set([...(await submodules(ws)), ...(await entriesOf(ws, since, nested))]);
  return nested.filter((path) => !known.has(toTop(ws, path)));
}

/**
 * Returns the first folder with tracked files that was made a git repository of its own since `sinceMs`; null: none was. Git shows no
 * difference there.
 */
export async function newRepository(ws: Workspace, sinceMs: number): Promise<string | null> {
  const tracked = await gitPaths(ws, ["ls-files", "-z", ...inScope(ws)]);
  const folders = new Set(tracked.flatMap(parentsOf));
  for (const folder of folders) {
    const found = pathKind(join(ws.topLevel, folder, ".git"));
    if (found !== undefined && found.birthtimeMs >= sinceMs) return fromTop(ws, folder);
  }
  return null;
}

/** Returns the paths of the registered submodules, relative to the top level. */
async function submodules(ws: Workspace): Promise<readonly string[]> {
  const asked = ["config", "--file", ".gitmodules", "-z", "--get-regexp", "^submodule\\..*\\.path$"];
  return (await gitPaths(ws, asked, { accept: "any" })).map((entry) => entry.slice(entry.indexOf("\n") + 1));
}

/** Returns those of the paths that a commit has, relative to the top level; `paths` are relative to the project. */
export async function entriesOf(
  ws: Workspace,
  commit: string | null,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (commit === null) return [];
  const full = paths.map((path) => toTop(ws, path));
  return gitPaths(ws, ["ls-tree", "-z", "--name-only", commit, "--", ...full]);
}
