import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { sha256 } from "../../base/hash.ts";
import { isProgram } from "../../process/find-program.ts";
import { fileStamp, remembering } from "../git/file-stamp.ts";
import { isWithin, pathKind, realPath } from "../git/paths.ts";
import { absentFiles, isLarge, namedFiles, packageScripts, scriptText } from "../guarded/named-files.ts";
import { listFolder, snapshotFile } from "../guarded/remembered.ts";
import type { HookedTree } from "./hooks-folder.ts";

/** A file or folder that git's hooks run, with the hash of what they run of it: of the project, or too large to be put back. */
export interface HookFile {
  /** Absolute. */
  readonly path: string;
  readonly sha256: string;
}

/** Returns true for git's sample hooks, which never run. */
export function isSample(name: string): boolean {
  return name.endsWith(".sample");
}

/** Returns the names of the hooks that git would run. */
export function hookNames(hooksDir: string): string[] {
  return entriesOf(hooksDir).filter((name) => /^[a-z0-9-]+$/.test(name) && isProgram(join(hooksDir, name)));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The files that the hooks of a work tree call, besides the files in their folder. */
export interface HookCalls {
  readonly files: readonly HookFile[];
  /** Files outside the work tree: in the user's home, and what links lead to. */
  readonly outside: readonly string[];
}

/** The first hashes of this process, and the files that the hooks with these contents name. */
interface Known {
  readonly first: Map<string, string>;
  key: string;
  named: readonly string[];
  /** Files that would be read if they existed. */
  absent: readonly string[];
}

const known = new WeakMap<HookedTree, Known>();

/**
 * Returns what git's hooks call. Of a file of the project, the hash is that of the first call in this process: what one
 * task changed does not run with the commit of the next one either.
 */
export function hookCalls(ws: HookedTree): HookCalls {
  const folders = foldersInTree(ws);
  if (folders.length === 0 && hookNames(ws.hooksDir).length === 0) return { files: [], outside: [] };
  const scripts = scriptsOf(ws);
  const own = known.get(ws) ?? { first: new Map<string, string>(), key: "", named: [], absent: [] };
  known.set(ws, own);
  const key = sha256(JSON.stringify(scripts));
  if (own.key !== key) {
    const named = namedFiles(ws, scripts);
    const all = [...scripts, ...named.map((path) => ({ path, text: scriptText(path) }))];
    Object.assign(own, { key, named, absent: absentFiles(ws, all) });
  }
  const manifest = join(ws.topLevel, "package.json");
  const called = [...new Set([...linkedFrom(scripts), ...own.named, ...own.absent])].filter(
    (path) => path !== manifest,
  );
  const isKept = (path: string): boolean => !isInTree(ws, path) && !isLarge(path);
  const now: HookFile[] = [
    ...[...folders, ...called.filter((path) => !isKept(path))].map((path) => ({
      path,
      sha256: hashOf(path),
    })),
    ...manifestOf(ws, [...scripts, ...own.named.map((path) => ({ path, text: scriptText(path) }))]),
  ];
  for (const { path, sha256: hash } of now) if (!own.first.has(path)) own.first.set(path, hash);
  return {
    files: [...own.first].map(([path, hash]) => ({ path, sha256: hash })),
    outside: called.filter(isKept),
  };
}

/** Files of git's folder are put back, as those outside of the project are. */
function isInTree({ commonDir, topLevel }: HookedTree, path: string): boolean {
  return isWithin(topLevel, path) && !isWithin(commonDir, path);
}

/**
 * The folder of hooks if it is among the project's files, and the one that it leads to by a link; of Husky's `_`, which only
 * calls the scripts beside it, the one above.
 */
function foldersInTree(ws: HookedTree): readonly string[] {
  const both = new Set([ws.hooksDir, realPath(ws.hooksDir)]);
  const inTree = [...both].filter((folder) => isInTree(ws, folder));
  return inTree.map((folder) => (basename(folder) === "_" ? dirname(folder) : folder));
}

interface Script {
  readonly path: string;
  readonly text: string;
}

function scriptsOf(ws: HookedTree): readonly Script[] {
  const inTree = foldersInTree(ws);
  return (inTree.length > 0 ? inTree : [realPath(ws.hooksDir)]).flatMap(scriptsIn);
}

function scriptsIn(folder: string): readonly Script[] {
  const names = listFolder(folder).filter((name) => !isSample(name));
  return names.map((name) => ({ path: join(folder, name), text: scriptText(join(folder, name)) }));
}

/** Files of one linked folder. */
const maxLinked = 100;

/** Returns what links among the hooks lead to: files, and those of folders. */
function linkedFrom(scripts: readonly Script[]): readonly string[] {
  const links = scripts.filter(({ path }) => pathKind(path)?.isSymbolicLink());
  return links.flatMap(({ path }) => {
    const real = realPath(path);
    const below = listFolder(real).slice(0, maxLinked);
    return [real, ...below.map((name) => join(real, name))].filter((one) => !pathKind(one)?.isDirectory());
  });
}

function manifestOf(ws: HookedTree, scripts: readonly Pick<Script, "text">[]): HookFile[] {
  const run = packageScripts(
    ws,
    scripts.map(({ text }) => text),
  );
  return run === null ? [] : [{ path: join(ws.topLevel, "package.json"), sha256: sha256(run) }];
}

function hashOf(path: string): string {
  const names = listFolder(path).sort();
  return sha256(JSON.stringify(["", ...names].map((name) => [name, contentOf(join(path, name))])));
}

function contentOf(path: string): unknown {
  return isLarge(path) && !pathKind(path)?.isSymbolicLink() ? largeContent(path) : snapshotFile(path);
}

/** Bytes. Of larger files the times are compared. */
const maxHashed = 16 * 1024 * 1024;

/** Keeps no content. Reads no file whose stat data are as at the last call. */
const largeContent = remembering("lstat", (path, stats) =>
  stats && stats.size > maxHashed ? fileStamp(stats) : `${stats?.mode} ${sha256(readFileSync(path))}`,
);

/**
 * Returns the paths, relative to the root, of what hooks run of the project and what differs from `before` or is among
 * `changed`, the task's changed paths relative to the root.
 */
export function changedHookFiles(
  ws: HookedTree,
  before: readonly HookFile[],
  changed: readonly string[],
): string[] {
  const manifest = join(ws.topLevel, "package.json");
  const touched = (path: string): boolean =>
    changed.some((name) => path === join(ws.root, name) || isWithin(path, join(ws.root, name)));
  const files = before.filter(({ path }) => path !== manifest);
  const found = files.filter((file) => touched(file.path) || hashOf(file.path) !== file.sha256);
  // Which scripts of the manifest count follows from the files.
  const own = before.find(({ path }) => path === manifest);
  if (found.length === 0 && own && manifestNow(ws) !== own.sha256) found.push(own);
  return found.map(({ path }) => (isWithin(ws.topLevel, path) ? relative(ws.root, path) : path));
}

function manifestNow(ws: HookedTree): string | undefined {
  const scripts = scriptsOf(ws);
  const named = known.get(ws)?.named ?? [];
  const all = [...scripts, ...named.map((path) => ({ path, text: scriptText(path) }))];
  return manifestOf(ws, all)[0]?.sha256;
}
