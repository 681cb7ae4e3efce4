import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { RalphError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { configValues } from "./guarded/config-values.ts";
import { listFolder, putBack, type Remembered, remember } from "./guarded/remembered.ts";
import type { Workspace } from "./workspace.ts";

/** What an agent may not rewrite, as it was before the iteration: JSON, to be kept over a crash. */
export interface Guard {
  /** Folders stand before what lies in them. */
  readonly entries: readonly { readonly path: string; readonly was: Remembered }[];
  /** Folders that must hold nothing besides the entries above. */
  readonly closedFolders: readonly string[];
  /** Hooks that lie among the project's own files (`core.hooksPath`): those may change, but it is told. */
  readonly treeHooks: { readonly folder: string; readonly sha256: string } | null;
}

/**
 * Remembers git's configuration, hooks, attributes and excludes and ralph's own settings (LOOP-18): the bytes, for what
 * they hold decides which programs git and ralph start. Takes no process.
 */
export async function guard(ws: Workspace): Promise<Guard> {
  const configs = configFiles(ws);
  // In a linked work tree or a submodule a file that names the git folder.
  const gitEntry = join(ws.topLevel, ".git");
  const hooks = join(ws.commonDir, "hooks");
  const hookFiles = listFolder(hooks).filter((name) => !isSample(name));
  const paths = [
    ...(remember(gitEntry).kind === "folder" ? [] : [gitEntry]),
    join(ws.commonDir, "info"),
    hooks,
    join(ws.root, ".ralph"),
    // A planted one would send git to another configuration.
    join(ws.gitDir, "commondir"),
    join(ws.gitDir, "config.worktree"),
    ...configs,
    join(ws.commonDir, "info", "attributes"),
    join(ws.commonDir, "info", "exclude"),
    ...hookFiles.map((name) => join(hooks, name)),
    ...["config.yaml", ".gitignore", "prompt.md"].map((name) => join(ws.root, ".ralph", name)),
  ];
  return {
    entries: [...new Set(paths)].map((path) => ({ path, was: remember(path) })),
    closedFolders: [hooks],
    treeHooks: hooksInTree(ws, configs),
  };
}

/**
 * Puts back whatever of it differs, and removes what was added among the hooks; gives the names of what it put back.
 * Must come before any git command that follows the agent: a changed configuration would run at once.
 * Error: RALPH_GIT_GONE when there is no git folder any more.
 */
export async function restoreGuarded(ws: Workspace, before: Guard): Promise<string[]> {
  const gone = [ws.commonDir, ws.gitDir].find((folder) => remember(folder).kind !== "folder");
  if (gone !== undefined) {
    throw new RalphError(
      "RALPH_GIT_GONE",
      `The git folder ${gone} was removed or replaced during the iteration.`,
      {
        hint: "Restore it from a clone or a backup; ralph changes nothing until then.",
      },
    );
  }
  const restored: string[] = [];
  for (const { path, was } of before.entries) {
    // Below a folder that was not there before, nothing was either.
    const parent = remember(dirname(path)).kind;
    if (parent !== "absent" && putBack(path, was)) restored.push(nameOf(ws, path));
  }
  const known = new Set(before.entries.map(({ path }) => path));
  for (const folder of before.closedFolders) {
    for (const name of listFolder(folder)) {
      const path = join(folder, name);
      if (isSample(name) || known.has(path)) continue;
      if (putBack(path, { kind: "absent" })) restored.push(nameOf(ws, path));
    }
  }
  return restored;
}

/** True when hooks among the project's files are not what they were: a commit must then run without hooks. */
export async function hooksChanged(before: Guard): Promise<boolean> {
  return before.treeHooks !== null && hashFolder(before.treeHooks.folder) !== before.treeHooks.sha256;
}

/** Git's examples, which it never runs. */
function isSample(name: string): boolean {
  return name.endsWith(".sample");
}

function nameOf(ws: Workspace, path: string): string {
  const inGit = relative(ws.commonDir, path);
  if (!inGit.startsWith("..")) return join(".git", inGit);
  return relative(ws.root, path);
}

/** The repository's configuration files and the files within it that they include. */
function configFiles(ws: Workspace): string[] {
  const found: string[] = [];
  const open = [join(ws.commonDir, "config"), join(ws.gitDir, "config.worktree")];
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    if (found.includes(path)) continue;
    found.push(path);
    const includes = configValues(textOf(path)).filter(({ section }) => /^include(if)?$/.test(section));
    const targets = includes.filter(({ key }) => key === "path").map(({ value }) => fromHome(ws, value));
    const own = targets.map((target) => resolve(dirname(path), target));
    open.push(...own.filter((target) => isWithin(ws.topLevel, target) || isWithin(ws.commonDir, target)));
  }
  return found;
}

function hooksInTree(ws: Workspace, configs: readonly string[]): Guard["treeHooks"] {
  const home = ws.env["HOME"] ?? "";
  const userWide = ws.env["GIT_CONFIG_GLOBAL"] ?? join(home, ".gitconfig");
  const values = [userWide, ...configs].flatMap((path) => configValues(textOf(path)));
  const setting = values.findLast(({ section, key }) => section === "core" && key === "hookspath");
  if (!setting) return null;
  const folder = resolve(ws.topLevel, fromHome(ws, setting.value));
  if (!isWithin(ws.topLevel, folder) || isWithin(ws.commonDir, folder)) return null;
  // Husky's `_` only calls what lies beside it.
  const whole = basename(folder) === "_" ? dirname(folder) : folder;
  return { folder: whole, sha256: hashFolder(whole) };
}

function hashFolder(folder: string): string {
  const names = listFolder(folder).sort();
  return sha256(JSON.stringify(names.map((name) => [name, remember(join(folder, name))])));
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../");
}

function fromHome(ws: Workspace, path: string): string {
  return path.startsWith("~/") ? join(ws.env["HOME"] ?? "", path.slice(2)) : path;
}

/** Empty when there is no such file, or it cannot be read: git itself will say why. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
