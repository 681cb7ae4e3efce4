import { lstatSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lookAt, makeFolders } from "../../base/careful-files.ts";
import { RalphError } from "../../base/errors.ts";
import { git } from "../git/git.ts";
import type { Workspace } from "../workspace.ts";
import { rulesInTree } from "./config-files.ts";
import { gitLocks, removeNewLocks } from "./git-folder/locks.ts";
import { type HeadState, restoreLostHead } from "./git-folder/lost-head.ts";
import { lostRefs, readRefs } from "./git-folder/lost-refs.ts";
import { moveMisplaced } from "./git-folder/misplaced.ts";
import { moduleFiles, restoreModuleShallow, takeModuleObjects } from "./git-folder/module-files.ts";
import { isBlocking, leadsToBlocking, oddFiles } from "./git-folder/odd-files.ts";
import { endBegun, operationFiles } from "./git-folder/operations.ts";
import {
  alternatesOf,
  findOtherObjects,
  requireObjects,
  takeOtherObjects,
} from "./git-folder/other-objects.ts";
import { restoreShallow, shallowFile } from "./git-folder/shallow.ts";
import { type IndexKind, readIndexFlags } from "./index-flags.ts";
import { asideOf } from "./keep-copies.ts";
import { type FileSnapshot, removeAdded, restoreFile } from "./remembered.ts";
import type { Restored } from "./restore/restore-entries.ts";

/** The files without which git does not work. */
export interface GitFiles {
  /** The content of HEAD. */
  readonly head: string | null;
  readonly hasIndex: boolean;
  /** The links below git's folders, as `git new-workdir` makes them, with what each names; absent in earlier guards. */
  readonly links?: Readonly<Record<string, string>>;
  /** The files of operations in progress; absent as above. */
  readonly operations?: readonly string[];
  /** The paths of locks that git waits for; absent as above. */
  readonly locks?: readonly string[];
  /** The folders that `objects/info/alternates` names; absent as above. */
  readonly alternates?: readonly string[];
  /** The list of commits whose parents git does not look for; absent as above. */
  readonly shallow?: FileSnapshot;
  /** The same of submodules; absent as above. */
  readonly modules?: ReturnType<typeof moduleFiles>;
  /** Files of the work tree that settings name as ignore rules or attributes; absent as above. */
  readonly rules?: readonly string[];
}

const ofEachTree: readonly string[] = [".gitignore", ".gitattributes", ".gitmodules"];

const validHead = /^(?:ref: refs\/(?!.*\.\.)\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/;

/** In memory only: there can be thousands. */
const headsOf = new WeakMap<GitFiles, HeadState>();

/** Reads it without a process. */
export function gitFiles(ws: Workspace): GitFiles {
  const odd = oddFiles(ws);
  const files: GitFiles = {
    head: headOf(ws),
    hasIndex: isThere(join(ws.gitDir, "index")),
    links: Object.fromEntries(odd.links),
    operations: operationFiles(ws),
    locks: gitLocks(ws, odd),
    alternates: alternatesOf(ws),
    shallow: shallowFile(ws),
    modules: moduleFiles(ws),
    rules: rulesInTree(ws),
  };
  headsOf.set(files, { head: files.head, refs: readRefs(ws) });
  return files;
}

/**
 * Removes pipes, sockets and devices in place of git's files, which would block git and ralph, and links, through which git
 * would write elsewhere; restores former links, and a HEAD that names nothing, without which git finds no repository; moves
 * away folders in place of files that git writes, and files in place of its logs' folders; takes objects back into the repository
 * that new alternates and links lead to. Returns the paths. Starts no process. Throws RALPH_GIT_GONE for a link in place of git's
 * objects or refs, and for objects that cannot be taken back.
 */
export function repairGitFiles(ws: Workspace, before: GitFiles, keepIn: string): readonly string[] {
  const ofTree = new Set([ws.topLevel, ws.root].flatMap((top) => ofEachTree.map((name) => join(top, name))));
  const odd = oddFiles(ws);
  const blocking = [
    ...odd.blocking,
    ...[...ofTree].filter((path) => isBlocking(lookAt(path))),
    ...[...(before.rules ?? []), ...rulesInTree(ws)].filter(leadsToBlocking),
  ];
  const { alternates, links = {} } = before;
  const others = alternates
    ? findOtherObjects(ws, { alternates, links }, odd.links)
    : { own: [], outside: [] };
  for (const path of blocking) rmSync(path, { force: true });
  const linked = before.links ? restoreLinks(ws, { before: before.links, now: odd.links, keepIn }) : [];
  const head = join(ws.gitDir, "HEAD");
  const isLost = before.head !== null && headOf(ws) === null;
  if (isLost) {
    const base64 = Buffer.from(before.head ?? "", "utf8").toString("base64");
    restoreFile(head, { kind: "file", base64, mode: 0o644 }, asideOf(ws, head, keepIn));
  }
  const branch = /^ref: (refs\/heads\/\S+)/.exec(headOf(ws) ?? "")?.[1] ?? null;
  const moved = moveMisplaced(ws, { branch, folders: odd.folders }, keepIn);
  outsideOf.set(before, others.outside);
  takeOtherObjects(ws, others.own, keepIn);
  if (before.modules) takeModuleObjects(ws, before.modules, keepIn);
  // Else there is no place to put the list back.
  const info = join(ws.commonDir, "objects", "info");
  if (alternates && alternates.length > 0 && !isThere(info)) makeFolders(info, 0o777);
  return [...new Set([...blocking, ...linked, ...(isLost ? [head] : []), ...moved])];
}

/** The folders of objects outside of the project that an agent made git read from. */
const outsideOf = new WeakMap<GitFiles, readonly string[]>();

/**
 * Restores what git must be asked about; must run after its configuration and alternates were restored. Returns what was put back.
 * Throws RALPH_GIT_GONE when the last commit is in a folder that is not the project's. Usually starts no process.
 */
export async function repairHistory(
  ws: Workspace,
  before: GitFiles,
  keepIn: string,
): Promise<readonly Restored[]> {
  const restored = before.shallow ? await restoreShallow(ws, before.shallow, keepIn) : [];
  const ofModules = before.modules ? await restoreModuleShallow(ws, before.modules, keepIn) : [];
  const outside = outsideOf.get(before) ?? [];
  if (outside.length > 0) await requireObjects(ws, outside);
  return [...restored, ...ofModules];
}

interface Links {
  readonly before: Readonly<Record<string, string>>;
  readonly now: ReadonlyMap<string, string>;
  readonly keepIn: string;
}

/** Never touches what a link leads to. A former link that is gone stays so, as git replaces one by a file. */
function restoreLinks(ws: Workspace, { before, now, keepIn }: Links): readonly string[] {
  const isNew = ([path, target]: readonly [string, string]): boolean =>
    before[path] !== target && path !== join(ws.gitDir, "HEAD");
  const added = [...now].filter(isNew).map(([path]) => path);
  const vital = ["objects", "refs"].map((name) => join(ws.commonDir, name));
  const gone = added.find((path) => vital.includes(path) && before[path] === undefined);
  if (gone !== undefined) throw gitGone(gone);
  for (const path of added) {
    const target = before[path];
    const was: FileSnapshot = target === undefined ? { kind: "absent" } : { kind: "link", target };
    restoreFile(path, was, asideOf(ws, path, keepIn));
  }
  return added;
}

/** The error for a folder without which there is no repository. */
export function gitGone(folder: string): RalphError {
  return new RalphError(
    "RALPH_GIT_GONE",
    `The git folder ${folder} was removed or replaced during the iteration.`,
    { hint: "Restore it from a clone or a backup. ralph changes nothing until then." },
  );
}

/**
 * Removes locks, and moves operations away, that an agent left in git's folder. Must run after `repairGitFiles` and before any
 * other git: it would wait for the lock, or continue the operation. Returns a sentence for each.
 */
export async function removeUnfinished(
  ws: Workspace,
  { locks, operations }: GitFiles,
  keepIn: string,
): Promise<readonly string[]> {
  const ended = operations ? await endBegun(ws, operations, keepIn) : [];
  return [...ended, ...(locks ? await removeNewLocks(ws, locks, keepIn) : [])];
}

/**
 * Puts back a HEAD that names no commit, and its branch; names the other branches and tags that are gone since `before`, each once.
 * Does nothing after a kill. Starts git only where HEAD moved.
 */
export async function restoreHead(
  ws: Workspace,
  before: GitFiles,
  keepIn: string,
): Promise<readonly string[]> {
  const last = headsOf.get(before);
  if (last === undefined) return [];
  const now = { head: headOf(ws), refs: readRefs(ws) };
  const restored = await restoreLostHead(ws, { before: before.head, last, now, keepIn });
  const left = restored.length > 0 ? { head: headOf(ws), refs: readRefs(ws) } : now;
  headsOf.set(before, left);
  return [...restored, ...lostRefs(ws, last.refs, left.refs)];
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

function isThere(path: string): boolean {
  return lookAt(path) !== undefined;
}
