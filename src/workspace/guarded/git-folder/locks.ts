import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { count } from "../../../base/text.ts";
import { programsInFolder } from "../../../process/programs-in-folder.ts";
import { isWithin, nameOf, pathKind } from "../../git/paths.ts";
import { ownerOfIndex } from "../../git/private-index-name.ts";
import type { Workspace } from "../../workspace.ts";
import { asideOf } from "../keep-copies.ts";
import { removeAdded } from "../remembered.ts";
import { type OddFiles, oddFiles } from "./odd-files.ts";

/** Milliseconds. Git holds a lock of one ref for a moment. */
const lockMs = 1000;
/** A git in another work tree holds the lock of its own HEAD or index as long as its editor is open. */
const sharedLocks: readonly string[] = ["config.lock", "packed-refs.lock", "shallow.lock"];

/** The maximum number of locks that are named. */
const maxNamed = 20;

/** Returns the locks that git's commands in this work tree wait for, besides those of ralph's refs. */
export function gitLocks(ws: Workspace, { locks }: Pick<OddFiles, "locks">): readonly string[] {
  const refs = join(ws.commonDir, "refs");
  const isWaitedFor = (path: string): boolean => {
    if (isWithin(refs, path)) return !isWithin(join(refs, "ralph"), path);
    const name = relative(dirname(path), path);
    if (dirname(path) === ws.gitDir) return ownerOfIndex(name) === undefined;
    return dirname(path) === ws.commonDir && sharedLocks.includes(name);
  };
  return locks.filter(isWaitedFor);
}

/** Removes the locks that were not there before, and that no git holds. Returns a sentence for each. */
export async function removeNewLocks(
  ws: Workspace,
  before: readonly string[],
  keepIn: string,
): Promise<readonly string[]> {
  const known = new Set(before);
  const find = (): readonly string[] => gitLocks(ws, oddFiles(ws)).filter((path) => !known.has(path));
  const removed = await removeStale(ws, find, keepIn);
  const more = removed.length - maxNamed;
  return [
    ...removed.slice(0, maxNamed).map((path) => `removed ${nameOf(ws, path)}: no git holds this lock`),
    ...(more > 0 ? [`removed ${count(more, "more lock")} of git`] : []),
  ];
}

/**
 * Removes those of the locks that are still the same files after a moment in which no git is at work in the tree; a folder in
 * place of one is moved to `keepIn`. Returns their paths.
 */
export async function removeStale(
  ws: Workspace,
  find: () => readonly string[],
  keepIn: string,
): Promise<readonly string[]> {
  const before = numbersOf(find());
  if (before.size === 0) return [];
  await sleep(lockMs);
  if ((await programsInFolder("git", ws.topLevel))?.length !== 0) return [];
  const stale = [...numbersOf(find())].filter(([path, file]) => before.get(path) === file);
  for (const [path] of stale) removeAdded(path, asideOf(ws, path, keepIn));
  return stale.map(([path]) => path);
}

/** Returns the paths with the numbers of their files. */
function numbersOf(paths: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    paths.flatMap((path) => {
      const found = pathKind(path);
      return found ? [[path, found.ino] as const] : [];
    }),
  );
}
