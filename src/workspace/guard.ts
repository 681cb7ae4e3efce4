import { cpSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { RalphError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { type ConfigValue, configValues } from "./guarded/config-values.ts";
import {
  type FolderGuard,
  guardFolders,
  type RestoredFolders,
  restoreFolders,
} from "./guarded/guarded-folders.ts";
import { type IndexFlags, type IndexKind, readIndexFlags, restoreIndexFlags } from "./guarded/index-flags.ts";
import { type FileSnapshot, listFolder, restoreFile, snapshotFile } from "./guarded/remembered.ts";
import type { Workspace } from "./workspace.ts";

/** Snapshots of the files that an agent must not rewrite, as JSON that survives a crash. */
export interface Guard {
  /** Folders come before their entries. */
  readonly entries: readonly { readonly path: string; readonly was: FileSnapshot }[];
  /** Folders that must contain nothing besides the entries above. */
  readonly closedFolders: readonly string[];
  /** Hooks among the project's files (`core.hooksPath`): they may change, but a change is reported. */
  readonly treeHooks: { readonly folder: string; readonly sha256: string } | null;
  /** The files that git does not look at; absent in states of earlier versions. */
  readonly indexFlags?: IndexFlags;
}

/**
 * Snapshots git's configuration, hooks, attributes and excludes and ralph's settings (LOOP-18). Keeps the bytes, because
 * their content determines which programs git and ralph start. Usually starts no process.
 */
export async function guard(ws: Workspace): Promise<Guard> {
  const configs = configFiles(ws);
  // In a linked work tree or a submodule, `.git` is a file that names the git folder.
  const gitEntry = join(ws.topLevel, ".git");
  const hooks = join(ws.commonDir, "hooks");
  const hookFiles = listFolder(hooks).filter((name) => !isSample(name));
  const paths = [
    ...(snapshotFile(gitEntry).kind === "folder" ? [] : [gitEntry]),
    join(ws.commonDir, "info"),
    hooks,
    join(ws.root, ".ralph"),
    // A planted file would redirect git to another configuration.
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
    indexFlags: await readIndexFlags(ws, indexKind(configs)),
  };
}

/**
 * Restores the flags `skip-worktree` and `assume-unchanged` of tracked files, so that no diff hides what the agent changed.
 * Must run after `restoreGuarded`. Returns a sentence for each. Starts git only when a flag differs.
 */
export async function restoreHidden(ws: Workspace, { indexFlags }: Guard): Promise<readonly string[]> {
  return indexFlags ? await restoreIndexFlags(ws, indexFlags, indexKind(configFiles(ws))) : [];
}

function indexKind(configs: readonly string[]): IndexKind {
  const values = configs.flatMap((path) => configValues(textOf(path)));
  const is = (name: string, value: RegExp): boolean =>
    values.some((one) => `${one.section}.${one.key}` === name && value.test(one.value));
  return {
    hashBytes: is("extensions.objectformat", /^sha256$/i) ? 32 : 20,
    isSparse: is("core.sparsecheckout", /^(?:true|yes|on|1)$/i),
  };
}

/**
 * Restores changed files, removes added hooks, and returns the names of what it restored. Must run before any git command
 * after the agent: a changed configuration would take effect at once. Throws RALPH_GIT_GONE if the git folder no longer
 * exists.
 */
export async function restoreGuarded(ws: Workspace, before: Guard): Promise<string[]> {
  const gone = [ws.commonDir, ws.gitDir].find((folder) => snapshotFile(folder).kind !== "folder");
  if (gone !== undefined) {
    throw new RalphError(
      "RALPH_GIT_GONE",
      `The git folder ${gone} was removed or replaced during the iteration.`,
      {
        hint: "Restore it from a clone or a backup. ralph changes nothing until then.",
      },
    );
  }
  const restored: string[] = [];
  for (const { path, was } of before.entries) {
    // A folder that did not exist before had no entries.
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

/** Snapshots of folders of the project, in memory. */
export type GuardedFolders = FolderGuard;

/** Snapshots folders of the project that an agent must not change (LOOP-18), relative to the root. */
export function guardTree({ root }: Workspace, folders: readonly string[]): GuardedFolders {
  return guardFolders(root, folders);
}

/** Restores these folders. What an agent, or a person meanwhile, had made of them is copied to the folder `keepIn`. */
export function restoreTree({ root }: Workspace, before: GuardedFolders, keepIn: string): RestoredFolders {
  return restoreFolders(root, before, keepIn);
}

/** Returns true if hooks among the project's files changed: a commit must then run without hooks. */
export async function hooksChanged(before: Guard): Promise<boolean> {
  return before.treeHooks !== null && hashFolder(before.treeHooks.folder) !== before.treeHooks.sha256;
}

/** Returns true for git's sample hooks, which never run. */
function isSample(name: string): boolean {
  return name.endsWith(".sample");
}

function nameOf(ws: Workspace, path: string): string {
  const inGit = relative(ws.commonDir, path);
  if (!inGit.startsWith("..")) return join(".git", inGit);
  return relative(ws.root, path);
}

/** Returns the repository's configuration files and the files within it that they include. */
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
  // Husky's `_` only calls the scripts beside it.
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

/** Returns "" for a missing or unreadable file: git reports that error itself. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Settings that start no program and that people change every day. */
const harmless =
  /^(?:remote|branch|user|color|push|pull|fetch|rerere|status|log|advice|init|submodule|lfs|gc|pack)$/;
const harmlessOfCore =
  /^(?:filemode|bare|logallrefupdates|ignorecase|autocrlf|eol|quotepath|abbrev|symlinks)$/;

/**
 * Reverts changes to git's configuration, hooks and attributes by the agent of a killed ralph, before any git command uses
 * them. A person may have worked since: a changed configuration that starts no new program stays, and every restored file
 * is first copied to the folder `keepIn`. Returns the names of what was restored.
 */
export async function restoreAfterCrash(ws: Workspace, before: Guard, keepIn: string): Promise<string[]> {
  const ours = join(ws.root, ".ralph");
  // Ralph's settings run only as approved, and git's excludes start no program.
  const spared = new Set([join(ws.commonDir, "info", "exclude")]);
  const isGits = (path: string): boolean => relative(ours, path).startsWith("..") && !spared.has(path);
  const entries = before.entries.filter(({ path, was }) => isGits(path) && !isEquallySafe(path, was));
  keep(ws, [...entries.map(({ path }) => path), ...before.closedFolders], keepIn);
  return restoreGuarded(ws, { ...before, entries: [...entries, ...knownHooks(before, entries)] });
}

/** The content of a closed folder is known only from its entries. */
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
  // The transport of a remote can name a program.
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
