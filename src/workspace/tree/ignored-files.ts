import { type Dirent, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { identityOf } from "../git/fingerprint.ts";
import { kindsIn, parentsOf } from "../git/paths.ts";

/** The paths that git ignored when a baseline was taken: an agent may change what is ignored, or add a file in spite of it. */
export interface IgnoredFiles {
  /** Milliseconds. Files below an ignored folder that are older were there before the agent. */
  readonly at: number;
  /** Files, and folders (`path/`) that are ignored as a whole; "" for the project itself. */
  readonly paths: readonly string[];
  /** By path: what stays the same when the file is moved or linked. Of a limited number of files. */
  readonly identities: Readonly<Record<string, string>>;
}

/** Patterns such as `*.o` may list each file; the list is part of every stored state. */
const maxPaths = 20_000;
/** Files whose identity is known, and entries of folders that are read to find them. */
const maxIdentities = 1000;
const maxEntries = 2000;
/** A folder with more entries holds installed or built files, as `node_modules` does. */
const maxInFolder = 200;

/** Describes the ignored `paths` of git's status. Starts no process. */
export function ignoredFiles(root: string, paths: readonly string[]): IgnoredFiles {
  const nearest = nearestOf(paths).slice(0, maxPaths);
  const kindOf = kindsIn(root);
  const identities: Record<string, string> = {};
  for (const path of filesAt(root, nearest)) {
    const stats = kindOf(path);
    const identity = stats?.isFile() && stats.size > 0 ? identityOf(stats) : undefined;
    if (identity !== undefined) identities[path] = identity;
  }
  return { at: Date.now(), paths: nearest, identities };
}

/** Sorts by depth: a person's files are rarely as deep as what a build leaves. */
function nearestOf(paths: readonly string[]): string[] {
  const byDepth = paths.map((path) => ({ path, depth: path.split("/").length }));
  return byDepth.sort((a, b) => a.depth - b.depth).map(({ path }) => path);
}

/** Returns the listed files and those of small folders. */
function filesAt(root: string, paths: readonly string[]): string[] {
  const files = paths.filter((path) => path !== "" && !path.endsWith("/"));
  let left = maxEntries;
  for (const folder of paths) {
    if (!folder.endsWith("/") || left <= 0 || files.length >= maxIdentities) continue;
    const found = filesBelow(root, folder, Math.min(left, maxInFolder));
    left -= found.read;
    for (const one of found.files) files.push(one);
  }
  return files.slice(0, maxIdentities);
}

/** Returns the files below `folder`; none if it has more than `max` entries. */
function filesBelow(
  root: string,
  folder: string,
  max: number,
): { readonly files: readonly string[]; readonly read: number } {
  const files: string[] = [];
  const folders = [folder];
  let read = 1;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = entriesOf(join(root, next));
    read += entries.length;
    if (read > max) return { files: [], read: max };
    for (const entry of entries) {
      if (entry.isDirectory()) folders.push(`${next}${entry.name}/`);
      else files.push(next + entry.name);
    }
  }
  return { files, read };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Closed to this user, or gone.
    return [];
  }
}

/**
 * Returns those of the `paths` that git ignored and that were there before: a listed file, what took the place of a listed
 * file or folder, and a file below a listed folder that is older than the list. A younger one is the agent's, which may build
 * and commit what was ignored.
 */
export function ignoredBefore(
  root: string,
  { at, identities, paths: listed }: IgnoredFiles,
  paths: readonly string[],
): string[] {
  const isListed = new Set(listed);
  const kindOf = kindsIn(root);
  const isBelow = (path: string): boolean =>
    isListed.has("") || parentsOf(path).some((folder) => isListed.has(`${folder}/`));
  // A file that is gone may still be in the agent's commits.
  const wasThere = (path: string): boolean => {
    const stats = kindOf(path);
    return stats ? isOlder(stats, at) : Object.hasOwn(identities, path);
  };
  return paths.filter(
    (path) => isListed.has(path) || isListed.has(`${path}/`) || (isBelow(path) && wasThere(path)),
  );
}

function isOlder(stats: Stats, at: number): boolean {
  const { birthtimeMs, mtimeMs, ctimeMs } = stats;
  return (birthtimeMs > 0 ? birthtimeMs : Math.max(mtimeMs, ctimeMs)) < at;
}
