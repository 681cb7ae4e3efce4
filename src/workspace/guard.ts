import { cpSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { RalphError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { type ConfigValue, configValues } from "./guarded/config-values.ts";
import { type FileSnapshot, listFolder, restoreFile, snapshotFile } from "./guarded/remembered.ts";
import type { Workspace } from "./workspace.ts";

/** What an agent may not rewrite, as it was before the iteration: JSON, to be kept over a crash. */
export interface Guard {
  /** Folders stand before what lies in them. */
  readonly entries: readonly { readonly path: string; readonly was: FileSnapshot }[];
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
    ...(snapshotFile(gitEntry).kind === "folder" ? [] : [gitEntry]),
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
    entries: [...new Set(paths)].map((path) => ({ path, was: snapshotFile(path) })),
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
  const gone = [ws.commonDir, ws.gitDir].find((folder) => snapshotFile(folder).kind !== "folder");
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
    const parent = snapshotFile(dirname(path)).kind;
    if (parent !== "absent" && restoreFile(path, was)) restored.push(nameOf(ws, path));
  }
  const known = new Set(before.entries.map(({ path }) => path));
  for (const folder of before.closedFolders) {
    for (const name of listFolder(folder)) {
      const path = join(folder, name);
      if (isSample(name) || known.has(path)) continue;
      if (restoreFile(path, { kind: "absent" })) restored.push(nameOf(ws, path));
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
  return sha256(JSON.stringify(names.map((name) => [name, snapshotFile(join(folder, name))])));
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

/** What only says how the repository is used, and starts nothing: a person sets these every day. */
const harmless =
  /^(?:remote|branch|user|color|push|pull|fetch|rerere|status|log|advice|init|submodule|lfs|gc|pack)$/;
const harmlessOfCore =
  /^(?:filemode|bare|logallrefupdates|ignorecase|autocrlf|eol|quotepath|abbrev|symlinks)$/;

/**
 * Puts back what a killed ralph's agent may have done to git's configuration, hooks and attributes, before any git
 * command would act on it. A person may have worked since: a changed configuration that starts nothing new stays, and
 * whatever is put back is kept first, in the folder `keepIn`. Gives the names of what was put back.
 */
export async function restoreAfterCrash(ws: Workspace, before: Guard, keepIn: string): Promise<string[]> {
  const ours = join(ws.root, ".ralph");
  // Ralph's own settings run only as approved; git's excludes start nothing.
  const spared = new Set([join(ws.commonDir, "info", "exclude")]);
  const isGits = (path: string): boolean => relative(ours, path).startsWith("..") && !spared.has(path);
  const entries = before.entries.filter(({ path, was }) => isGits(path) && !isEquallySafe(path, was));
  keep(ws, [...entries.map(({ path }) => path), ...before.closedFolders], keepIn);
  return restoreGuarded(ws, { ...before, entries: [...entries, ...knownHooks(before, entries)] });
}

/** What lies in a closed folder is known only by its entries. */
function knownHooks(before: Guard, chosen: Guard["entries"]): Guard["entries"] {
  const inClosed = ({ path }: { path: string }): boolean =>
    before.closedFolders.some((folder) => path.startsWith(`${folder}/`));
  return before.entries.filter((entry) => inClosed(entry) && !chosen.includes(entry));
}

function isEquallySafe(path: string, was: FileSnapshot): boolean {
  const now = snapshotFile(path);
  if (JSON.stringify(now) === JSON.stringify(was)) return true;
  if (now.kind !== "file" || was.kind !== "file" || now.mode !== was.mode) return false;
  if (!/\/config(?:\.worktree)?$/.test(path)) return false;
  const telling = (base64: string): string =>
    JSON.stringify(configValues(Buffer.from(base64, "base64").toString("utf8")).filter(mayStart));
  return telling(now.base64) === telling(was.base64);
}

function mayStart({ section, key }: ConfigValue): boolean {
  if (section === "core") return !harmlessOfCore.test(key);
  // How a remote is reached may name a program.
  if (section === "remote") return !/^(?:url|pushurl|fetch|push|tagopt|prune)$/.test(key);
  if (section === "submodule") return key === "update";
  return !harmless.test(section);
}

function keep(ws: Workspace, paths: readonly string[], keepIn: string): void {
  for (const path of paths) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue;
    const copy = join(keepIn, relative(ws.commonDir, path).replaceAll("..", "up"));
    mkdirSync(join(copy, ".."), { recursive: true, mode: 0o700 });
    cpSync(path, copy, { recursive: true, verbatimSymlinks: true });
  }
}
