import { git } from "./git.ts";
import { sortByPresence } from "./paths.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Updates the index entries of exactly these paths (relative to the top level) from the work tree. Does not use `git add`,
 * which fails for a deleted path and treats a folder as everything in it.
 */
export async function stagePaths(ws: Workspace, paths: readonly string[], indexFile?: string): Promise<void> {
  const { present, absent } = sortByPresence(ws.topLevel, paths);
  await updateIndex(ws, ["--force-remove"], absent, indexFile);
  await updateIndex(ws, ["--add", "--replace"], present, indexFile);
}

async function updateIndex(
  ws: Workspace,
  flags: readonly string[],
  paths: readonly string[],
  indexFile?: string,
): Promise<void> {
  if (paths.length === 0) return;
  const stdin = paths.map((path) => `${path}\0`).join("");
  await git(ws, ["update-index", ...flags, "-z", "--stdin"], { stdin, ...(indexFile ? { indexFile } : {}) });
}
