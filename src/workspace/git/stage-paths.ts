import type { Workspace } from "../workspace.ts";
import { git } from "./git.ts";
import { sortByPresence } from "./paths.ts";

/**
 * Makes the index say of exactly these paths (relative to the top level) what the work tree says. Not `git add`: that
 * fails on a path that is gone, and takes a folder's name for all that is in it.
 */
export async function stagePaths(ws: Workspace, paths: readonly string[], indexFile?: string): Promise<void> {
  const { present, absent } = await sortByPresence(ws.topLevel, paths);
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
