import { fstatSync, type Stats } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { openTurns } from "../../base/clock.ts";
import { sha256 } from "../../base/hash.ts";
import { kindsIn, pathKind } from "./paths.ts";

/** The state of a file, sufficient to detect a later change of its content. */
export interface Fingerprint {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** Hash of the content; null for a file that is missing or too large to read. */
  readonly hash: string | null;
  /** Stays the same when the file is moved or linked; absent where the file system does not record when a file was created. */
  readonly identity?: string;
}

/** Files beyond these limits are compared only by size and change time: a person's data may be 100,000 pictures. */
const maxFileBytes = 4 * 1024 * 1024;
const maxTotalBytes = 128 * 1024 * 1024;
const maxRead = 10_000;
/** Files that are read at once. */
const perBatch = 64;
/** Files that stdout or stderr is redirected to (`ralph run > night.log`): their growth is not an edit. */
const ownOutputs = [1, 2].flatMap(fileBehind);
const missing = { size: -1, mtimeMs: 0, ctimeMs: 0, hash: null };

/** Identifies one state of a file: every write and rename changes its `ctime`, which only the machine's clock sets. */
export function fileStamp({ dev, ino, mode, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Returns the fingerprints of paths relative to `root`; a path that is missing, or lies behind a link, has size -1. */
export async function fingerprints(root: string, paths: readonly string[]): Promise<Fingerprint[]> {
  const taken: Fingerprint[] = [];
  const left = { files: maxRead, bytes: maxTotalBytes };
  const kindOf = kindsIn(root);
  const take = (path: string): Promise<Fingerprint> => {
    const stats = kindOf(path);
    const bytes = stats?.size ?? 0;
    const readable = left.files > 0 && bytes <= maxFileBytes && bytes <= left.bytes;
    if (readable) {
      left.files -= 1;
      left.bytes -= bytes;
    }
    return fingerprint(root, { path, stats }, readable);
  };
  const turn = openTurns();
  for (let at = 0; at < paths.length; at += perBatch) {
    for (const one of await Promise.all(paths.slice(at, at + perBatch).map(take))) taken.push(one);
    await turn();
  }
  return taken;
}

/** Returns the paths whose content changed, that no longer exist, or that now lie behind a link. */
export async function changedSince(root: string, known: readonly Fingerprint[]): Promise<string[]> {
  const changed: string[] = [];
  const kindOf = kindsIn(root);
  const turn = openTurns();
  for (let at = 0; at < known.length; at += perBatch) {
    const some = known.slice(at, at + perBatch);
    const differs = await Promise.all(some.map((before) => isChanged(root, before, kindOf(before.path))));
    for (const one of some.filter((_, index) => differs[index]).map(({ path }) => path)) changed.push(one);
    await turn();
  }
  return changed;
}

/**
 * Returns those of the `paths` that hold what was in one of the `lost` files, which changed or disappeared since: the file
 * itself, moved or linked, or its content. With the path of that file.
 */
export async function movedTo(
  root: string,
  lost: readonly Fingerprint[],
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sought = lost.filter(({ size }) => size > 0);
  const found = new Map<string, string>();
  if (sought.length === 0) return found;
  const byIdentity = new Map(
    sought.flatMap((file) => (file.identity ? [[file.identity, file] as const] : [])),
  );
  const bySize = new Map<number, Fingerprint[]>();
  for (const file of sought) bySize.set(file.size, [...(bySize.get(file.size) ?? []), file]);
  const kindOf = kindsIn(root);
  const turn = openTurns();
  for (const path of paths) {
    await turn();
    const stats = kindOf(path);
    if (!stats?.isFile() && !stats?.isSymbolicLink()) continue;
    const same =
      byIdentity.get(identityOf(stats) ?? "") ?? (await sameContent(root, { path, stats }, bySize));
    if (same) found.set(path, same.path);
  }
  return found;
}

async function sameContent(
  root: string,
  { path, stats }: { readonly path: string; readonly stats: Stats },
  bySize: ReadonlyMap<number, readonly Fingerprint[]>,
): Promise<Fingerprint | undefined> {
  const alike = bySize.get(stats.size) ?? [];
  if (alike.length === 0) return undefined;
  const hash = alike.some((file) => file.hash !== null) ? await hashOf(join(root, path), stats) : null;
  return alike.find((file) => (file.hash === null ? file.mtimeMs === stats.mtimeMs : file.hash === hash));
}

/** Returns a value that changes whenever one of the files is written. Reads no content. */
export async function statFingerprint(root: string, paths: readonly string[]): Promise<string> {
  const stamps: string[] = [];
  const turn = openTurns();
  for (const path of paths) {
    const stats = pathKind(join(root, path));
    stamps.push(stats ? fileStamp(stats) : "");
    await turn();
  }
  return stamps.join("\n");
}

async function isChanged(root: string, before: Fingerprint, stats: Stats | undefined): Promise<boolean> {
  if (!stats || before.size === -1) return (stats === undefined) !== (before.size === -1);
  if (ownOutputs.some(({ dev, ino }) => dev === stats.dev && ino === stats.ino)) return false;
  if (stats.size !== before.size) return true;
  if (stats.mtimeMs === before.mtimeMs && (before.hash === null || stats.ctimeMs === before.ctimeMs))
    return false;
  return before.hash === null || (await hashOf(join(root, before.path), stats)) !== before.hash;
}

function fileBehind(fd: number): readonly Stats[] {
  try {
    const stats = fstatSync(fd);
    return stats.isFile() ? [stats] : [];
  } catch {
    // The descriptor is closed, so nothing is written to it.
    return [];
  }
}

async function fingerprint(
  root: string,
  { path, stats }: { readonly path: string; readonly stats: Stats | undefined },
  read: boolean,
): Promise<Fingerprint> {
  if (!stats) return { path, ...missing };
  const { size, mtimeMs, ctimeMs } = stats;
  const hash = read ? await hashOf(join(root, path), stats) : null;
  const identity = identityOf(stats);
  return { path, size, mtimeMs, ctimeMs, hash, ...(identity === undefined ? {} : { identity }) };
}

/** An inode alone does not identify a file: that of a removed file is used again. */
export function identityOf({ ino, birthtimeMs }: Stats): string | undefined {
  return birthtimeMs > 0 ? `${ino} ${birthtimeMs}` : undefined;
}

/** Returns null for what has no content that can be read: compared by size and time. */
async function hashOf(path: string, stats: Stats): Promise<string | null> {
  // A pipe would block the thread that reads it.
  if (!stats.isFile() && !stats.isSymbolicLink()) return null;
  const content = stats.isFile() ? readFile(path) : readlink(path, "buffer");
  return content.then(sha256, () => null);
}
