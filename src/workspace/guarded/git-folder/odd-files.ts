import { type Dirent, readlinkSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { lookThrough } from "../../../base/careful-files.ts";
import { remembering } from "../../git/file-stamp.ts";
import { isWithin } from "../../git/paths.ts";
import type { Workspace } from "../../workspace.ts";
import { entriesOf } from "../remembered.ts";

/** Folders of extensions, which git itself does not read and which can be very large. */
const notGits: readonly string[] = ["annex", "lfs"];
/** Of a git folder; a large repository has some hundreds. */
const maxFolders = 10_000;
/**
 * The names of up to 256 folders of loose objects below `objects`, whose list changes with each commit. Looking at them takes
 * milliseconds, and a pipe there is an object that is lost.
 */
const looseObjects = /^[0-9a-f]{2}$/;

/** Absolute paths below git's folders. */
export interface OddFiles {
  /** Pipes, sockets and devices, and links to them: they block whoever opens them. */
  readonly blocking: readonly string[];
  /** All other links, each with what it names. */
  readonly links: ReadonlyMap<string, string>;
  readonly locks: readonly string[];
  /** All folders, without those of loose objects; null: there are more than are looked at. */
  readonly folders: ReadonlySet<string> | null;
}

/** Looks at git's folders as a whole; lists only the folders that changed since the last call. Starts no process. */
export function oddFiles(ws: Workspace): OddFiles {
  const tops = isWithin(ws.commonDir, ws.gitDir) ? [ws.commonDir] : [...new Set([ws.gitDir, ws.commonDir])];
  const blocking: string[] = [];
  const links = new Map<string, string>();
  const locks: string[] = [];
  const folders = new Set(tops);
  const all = tops.map(listedBelow);
  for (const listed of all.flat()) {
    for (const one of listed.blocking) blocking.push(one);
    for (const one of listed.locks) locks.push(one);
    for (const path of listed.folders) folders.add(path);
    for (const [path, target] of listed.links)
      if (leadsToBlocking(path)) blocking.push(path);
      else links.set(path, target);
  }
  const isCut = all.some((below) => below.length >= maxFolders);
  return { blocking, links, locks, folders: isCut ? null : folders };
}

interface Listed {
  readonly blocking: string[];
  readonly links: (readonly [path: string, target: string])[];
  readonly locks: string[];
  /** Without those of loose objects. */
  readonly folders: string[];
}

function listedBelow(top: string): readonly Listed[] {
  const found: Listed[] = [];
  const spared = new Set(notGits.map((name) => join(top, name)));
  const open: string[] = [top];
  for (let folder = open.pop(); folder !== undefined && found.length < maxFolders; folder = open.pop()) {
    const listed = listFolder(folder);
    found.push(listed);
    for (const path of listed.folders) if (!spared.has(path)) open.push(path);
  }
  return found;
}

const listFolder = remembering("lstat", (folder): Listed => {
  const listed: Listed = { blocking: [], links: [], locks: [], folders: [] };
  const isObjects = basename(folder) === "objects";
  for (const entry of entriesOf(folder)) {
    const isFolder = entry.isDirectory();
    if (isFolder && isObjects && looseObjects.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (isFolder) listed.folders.push(path);
    if (isBlocking(entry)) listed.blocking.push(path);
    if (entry.isSymbolicLink()) listed.links.push([path, readlinkSync(path)]);
    if (entry.name.endsWith(".lock")) listed.locks.push(path);
  }
  return listed;
});

/** Returns true for such a file, and a link to one. */
export function leadsToBlocking(link: string): boolean {
  try {
    return isBlocking(lookThrough(link));
  } catch {
    // It leads to itself.
    return false;
  }
}

/** Returns true for what blocks whoever opens it. */
export function isBlocking(found: Dirent | Stats | undefined): boolean {
  return found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
}
