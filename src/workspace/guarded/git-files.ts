import { type Dirent, lstatSync, readFileSync, readlinkSync, rmSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { remembering } from "../git/file-stamp.ts";
import { git } from "../git/git.ts";
import { isWithin } from "../git/paths.ts";
import type { Workspace } from "../workspace.ts";
import { type IndexKind, readIndexFlags } from "./index-flags.ts";
import { asideOf } from "./keep-copies.ts";
import { entriesOf, removeAdded, restoreFile } from "./remembered.ts";

/** The files without which git does not work. */
export interface GitFiles {
  /** The content of HEAD. */
  readonly head: string | null;
  readonly hasIndex: boolean;
}

/** Folders of extensions, which git itself does not read and which can be very large. */
const notGits: readonly string[] = ["annex", "lfs"];
/** Of a git folder; a large repository has some hundreds. */
const maxFolders = 10_000;
/** One of up to 256 folders of loose objects. Looking at them takes milliseconds, and a pipe there is an object that is lost. */
const looseObjects = /[/\\]objects[/\\][0-9a-f]{2}$/;

const ofEachTree: readonly string[] = [".gitignore", ".gitattributes", ".gitmodules"];

const validHead = /^(?:ref: refs\/(?!.*\.\.)\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/;

/** Reads it without a process. */
export function gitFiles(ws: Workspace): GitFiles {
  return { head: headOf(ws), hasIndex: isThere(join(ws.gitDir, "index")) };
}

/**
 * Removes pipes, sockets and devices in place of git's files, which would block git and ralph, and restores a HEAD that names
 * nothing, without which git finds no repository. Returns their paths. Starts no process.
 */
export function repairGitFiles(ws: Workspace, before: GitFiles, keepIn: string): readonly string[] {
  const gitFolders = isWithin(ws.commonDir, ws.gitDir) ? [ws.commonDir] : [ws.gitDir, ws.commonDir];
  const ofTree = new Set([ws.topLevel, ws.root].flatMap((top) => ofEachTree.map((name) => join(top, name))));
  const blocking = [
    ...gitFolders.flatMap(blockingBelow),
    ...[...ofTree].filter((path) => isBlocking(lstatSync(path, { throwIfNoEntry: false }))),
  ];
  for (const path of blocking) rmSync(path, { force: true });
  const head = join(ws.gitDir, "HEAD");
  const isLost = before.head !== null && headOf(ws) === null;
  if (isLost) {
    const base64 = Buffer.from(before.head ?? "", "utf8").toString("base64");
    restoreFile(head, { kind: "file", base64, mode: 0o644 }, asideOf(ws, head, keepIn));
  }
  return [...new Set([...blocking, ...(isLost ? [head] : [])])];
}

/** Returns false for an index that is missing, or that git cannot read. */
export async function isIndexReadable(ws: Workspace, kind: IndexKind): Promise<boolean> {
  if (!isThere(join(ws.gitDir, "index"))) return false;
  return readIndexFlags(ws, kind).then(
    () => true,
    (error: unknown) => {
      if (error instanceof RalphError && error.code === "RALPH_GIT_FAILED") return false;
      throw error;
    },
  );
}

/** Makes the index that of HEAD. What was staged is lost; no file is touched. A folder in its place is moved to `keepIn`. */
export async function rebuildIndex(ws: Workspace, keepIn: string): Promise<void> {
  const index = join(ws.gitDir, "index");
  removeAdded(index, asideOf(ws, index, keepIn));
  await git(ws, ["read-tree", "HEAD"]);
}

/** Returns null for a HEAD that git refuses. */
function headOf(ws: Workspace): string | null {
  const path = join(ws.gitDir, "HEAD");
  try {
    const found = lstatSync(path);
    // As old versions of git wrote it.
    if (found.isSymbolicLink()) {
      const target = readlinkSync(path);
      return target.startsWith("refs/") ? `ref: ${target}\n` : null;
    }
    const text = found.isFile() && found.size < 4096 ? readFileSync(path, "utf8") : "";
    return validHead.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** Returns what blocks whoever opens it in the whole folder. Lists only the folders that changed since the last call. */
function blockingBelow(top: string): string[] {
  const found: string[] = [];
  const spared = new Set(notGits.map((name) => join(top, name)));
  const open: string[] = [top];
  for (let count = 0, folder = open.pop(); folder !== undefined && count < maxFolders; count++) {
    const { blocking, links, folders } = listFolder(folder);
    found.push(...blocking, ...links.filter(leadsToBlocking));
    for (const path of folders) if (!spared.has(path)) open.push(path);
    folder = open.pop();
  }
  return found;
}

/** Absolute paths. */
interface Listed {
  readonly blocking: readonly string[];
  readonly links: readonly string[];
  /** Without those of loose objects. */
  readonly folders: readonly string[];
}

const listFolder = remembering("lstat", (folder): Listed => {
  const entries = entriesOf(folder);
  const paths = (of: (entry: Dirent) => boolean): string[] =>
    entries.filter(of).map(({ name }) => join(folder, name));
  return {
    blocking: paths(isBlocking),
    links: paths((entry) => entry.isSymbolicLink()),
    folders: paths((entry) => entry.isDirectory()).filter((path) => !looseObjects.test(path)),
  };
});

function leadsToBlocking(link: string): boolean {
  try {
    return isBlocking(statSync(link, { throwIfNoEntry: false }));
  } catch {
    // It leads to itself.
    return false;
  }
}

function isBlocking(found: Dirent | Stats | undefined): boolean {
  return found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
