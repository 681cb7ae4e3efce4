import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Default path of the store, relative to the project's root. */
export const defaultStore = ".ralph/progress.db";

/**
 * Finds the project of `cwd`: the nearest folder upwards with `.ralph` or `.git` (a folder or, in a worktree, a file).
 * Returns undefined without one. Never searches above a git repository.
 */
export function findProject(cwd: string): { readonly root: string } | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".ralph")) || existsSync(join(folder, ".git"))) return { root: folder };
    if (folder === dirname(folder)) return undefined;
  }
}
