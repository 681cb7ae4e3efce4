import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * The project that `cwd` lies in: the nearest folder upwards that has `.ralph` or `.git` (a folder or, in a worktree,
 * a file). Undefined outside both. Nothing above a git repository is looked at.
 */
export function findProject(cwd: string): { readonly root: string } | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".ralph")) || existsSync(join(folder, ".git"))) return { root: folder };
    if (folder === dirname(folder)) return undefined;
  }
}
