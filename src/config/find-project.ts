import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { lookThrough } from "../base/careful-files.ts";

/** Default path of the store, relative to the project's root. */
export const defaultStore = ".ralph/progress.db";

/**
 * Finds the project of `cwd`: the nearest folder upwards with `.ralph` or `.git` (a folder or, in a worktree, a file; an empty folder is none).
 * Returns undefined without one. Never searches above a git repository.
 */
export function findProject(cwd: string): { readonly root: string } | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".ralph")) || isRepository(folder)) return { root: folder };
    if (folder === dirname(folder)) return undefined;
  }
}

function isRepository(folder: string): boolean {
  const git = join(folder, ".git");
  return existsSync(join(git, "HEAD")) || lookThrough(git)?.isFile() === true;
}
