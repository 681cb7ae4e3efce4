import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { sha256 } from "../../base/hash.ts";
import { isWithin } from "../git/paths.ts";
import { namedFiles, packageScripts, scriptText } from "../guarded/named-files.ts";
import { listFolder, snapshotFile } from "../guarded/remembered.ts";
import type { HookedTree } from "./hooks-folder.ts";

/** A file or folder of the project that git's hooks run, with the hash of what they run of it. */
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
  return entriesOf(hooksDir).filter(
    (name) => /^[a-z0-9-]+$/.test(name) && isExecutable(join(hooksDir, name)),
  );
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The files that the hooks of a work tree call, besides the files in their folder. */
export interface HookCalls {
  readonly files: readonly HookFile[];
  /** Files in the user's home, outside the work tree. */
  readonly outside: readonly string[];
}

/** The first hashes of this process, and the files that the hooks with these contents name. */
interface Known {
  readonly first: Map<string, string>;
  key: string;
  named: readonly string[];
}

const known = new WeakMap<HookedTree, Known>();

/**
 * Returns what git's hooks call. Of a file of the project, the hash is that of the first call in this process: what one
 * task changed does not run with the commit of the next one either.
 */
export function hookCalls(ws: HookedTree): HookCalls {
  const names = hookNames(ws.hooksDir);
  const folder = folderInTree(ws);
  if (names.length === 0 && folder === null) return { files: [], outside: [] };
  const scripts = scriptsIn(folder ?? ws.hooksDir);
  const own = known.get(ws) ?? { first: new Map<string, string>(), key: "", named: [] };
  known.set(ws, own);
  const key = sha256(JSON.stringify(scripts));
  if (own.key !== key) Object.assign(own, { key, named: namedFiles(ws, scripts) });
  const manifest = join(ws.topLevel, "package.json");
  const inTree = own.named.filter((path) => isWithin(ws.topLevel, path) && path !== manifest);
  const now: HookFile[] = [
    ...(folder === null ? [] : [{ path: folder, sha256: hashOf(folder) }]),
    ...inTree.map((path) => ({ path, sha256: hashOf(path) })),
    ...manifestOf(ws, [...scripts, ...own.named.map((path) => ({ path, text: scriptText(path) }))]),
  ];
  for (const { path, sha256: hash } of now) if (!own.first.has(path)) own.first.set(path, hash);
  return {
    files: [...own.first].map(([path, hash]) => ({ path, sha256: hash })),
    outside: own.named.filter((path) => !isWithin(ws.topLevel, path)),
  };
}

/** The folder of hooks if it is among the project's files; of Husky's `_`, which only calls the scripts beside it, the one above. */
function folderInTree({ hooksDir, topLevel, commonDir }: HookedTree): string | null {
  if (!isWithin(topLevel, hooksDir) || hooksDir === join(commonDir, "hooks") || isWithin(commonDir, hooksDir))
    return null;
  return basename(hooksDir) === "_" ? dirname(hooksDir) : hooksDir;
}

function scriptsIn(folder: string): { readonly path: string; readonly text: string }[] {
  const names = listFolder(folder).filter((name) => !isSample(name));
  return names.map((name) => ({ path: join(folder, name), text: scriptText(join(folder, name)) }));
}

function manifestOf(ws: HookedTree, scripts: readonly { readonly text: string }[]): HookFile[] {
  const run = packageScripts(
    ws,
    scripts.map(({ text }) => text),
  );
  return run === null ? [] : [{ path: join(ws.topLevel, "package.json"), sha256: sha256(run) }];
}

function hashOf(path: string): string {
  const names = listFolder(path).sort();
  return sha256(JSON.stringify(["", ...names].map((name) => [name, snapshotFile(join(path, name))])));
}

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
  return found.map(({ path }) => relative(ws.root, path));
}

function manifestNow(ws: HookedTree): string | undefined {
  const scripts = scriptsIn(folderInTree(ws) ?? ws.hooksDir);
  const named = known.get(ws)?.named ?? [];
  const all = [...scripts, ...named.map((path) => ({ path, text: scriptText(path) }))];
  return manifestOf(ws, all)[0]?.sha256;
}
