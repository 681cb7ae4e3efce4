import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { lookAt, lookThrough } from "../base/careful-files.ts";
import { readEnv } from "./environment.ts";

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

/**
 * As `findProject`. A linked work tree of git that has no store belongs to the project of the main work tree, if that has one: there are
 * the tasks and the memory.
 */
export function findProjectWithStore(cwd: string): { readonly root: string } | undefined {
  const found = findProject(cwd);
  if (found === undefined || existsSync(join(found.root, defaultStore))) return found;
  const main = inMainTree(found.root);
  return main !== undefined && existsSync(join(main, defaultStore)) ? { root: main } : found;
}

/** Returns the folder of the main work tree that is the same as `folder` of a linked one; undefined: `folder` is in no linked one. */
function inMainTree(folder: string): string | undefined {
  let top = folder;
  while (lookThrough(join(top, ".git")) === undefined) {
    if (top === dirname(top)) return undefined;
    top = dirname(top);
  }
  const git = join(top, ".git");
  if (lookThrough(git)?.isFile() !== true) return undefined;
  const own = /^gitdir: (.+?)\s*$/.exec(readFileSync(git, "utf8"))?.[1];
  const main = own && /^(.*)\/\.git\/worktrees\/[^/]+$/.exec(resolve(top, own))?.[1];
  return main ? join(main, relative(top, folder)) : undefined;
}

function isRepository(folder: string): boolean {
  const git = join(folder, ".git");
  return existsSync(join(git, "HEAD")) || lookThrough(git)?.isFile() === true;
}

/**
 * Returns the project's `.ralph` or `.git` if it belongs to another user, who could have put it there for this one to find.
 * Under sudo, the user who called it counts as this one, as for git. Undefined on Windows.
 */
export function foreignFolder(root: string): string | undefined {
  const own = process.geteuid?.();
  if (own === undefined) return undefined;
  const caller = own === 0 ? readEnv("SUDO_UID") : undefined;
  return [".ralph", ".git"]
    .map((name) => join(root, name))
    .find((path) => {
      const uid = lookAt(path)?.uid;
      return uid !== undefined && uid !== own && String(uid) !== caller;
    });
}
