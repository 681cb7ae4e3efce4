import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { defaultStore } from "./default-store.ts";

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

/**
 * Returns the nearest project above `root` in the same git work tree, if both have a store; undefined for the usual project. An
 * agent may have put a copy of the project's `.ralph` there, in which all tasks are done.
 */
export function outerProject(root: string): string | undefined {
  let folder = root;
  while (!existsSync(join(folder, ".git")) && folder !== dirname(folder)) {
    folder = dirname(folder);
    if (existsSync(join(folder, defaultStore)))
      return existsSync(join(root, defaultStore)) ? folder : undefined;
  }
  return undefined;
}
