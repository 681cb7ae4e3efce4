import { fstatSync, lstatSync, type Stats } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../base/hash.ts";
import { fileStamp } from "./file-stamp.ts";
import { pathKind } from "./paths.ts";

/** The state of a file, sufficient to detect a later change of its content. */
export interface Fingerprint {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** Hash of the content; null for a file that is missing or too large to read. */
  readonly hash: string | null;
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

/** Returns the fingerprints of paths relative to `root`; a missing path has size -1. */
export async function fingerprints(root: string, paths: readonly string[]): Promise<Fingerprint[]> {
  const taken: Fingerprint[] = [];
  const left = { files: maxRead, bytes: maxTotalBytes };
  const take = (path: string): Promise<Fingerprint> => {
    const bytes = pathKind(join(root, path))?.size ?? 0;
    const readable = left.files > 0 && bytes <= maxFileBytes && bytes <= left.bytes;
    if (readable) {
      left.files -= 1;
      left.bytes -= bytes;
    }
    return fingerprint(root, path, readable);
  };
  for (let at = 0; at < paths.length; at += perBatch)
    taken.push(...(await Promise.all(paths.slice(at, at + perBatch).map(take))));
  return taken;
}

/** Returns the paths whose content changed or that no longer exist. */
export async function changedSince(root: string, known: readonly Fingerprint[]): Promise<string[]> {
  const changed: string[] = [];
  for (let at = 0; at < known.length; at += perBatch) {
    const some = known.slice(at, at + perBatch);
    const differs = await Promise.all(some.map((before) => isChanged(root, before)));
    changed.push(...some.filter((_, index) => differs[index]).map(({ path }) => path));
  }
  return changed;
}

/** Returns a value that changes whenever one of the files is written. Synchronous, reads no content. */
export function statFingerprint(root: string, paths: readonly string[]): string {
  const stamps = paths.map((path) => {
    try {
      return fileStamp(lstatSync(join(root, path)));
    } catch {
      // Deleted, or below a path that is now a file.
      return "";
    }
  });
  return stamps.join("\n");
}

async function isChanged(root: string, before: Fingerprint): Promise<boolean> {
  const stats = pathKind(join(root, before.path));
  if (!stats || before.size === -1) return (stats === undefined) !== (before.size === -1);
  if (ownOutputs.some(({ dev, ino }) => dev === stats.dev && ino === stats.ino)) return false;
  if (stats.size !== before.size) return true;
  if (stats.mtimeMs === before.mtimeMs && (before.hash === null || stats.ctimeMs === before.ctimeMs))
    return false;
  return before.hash === null || (await fingerprint(root, before.path, true)).hash !== before.hash;
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

async function fingerprint(root: string, path: string, read: boolean): Promise<Fingerprint> {
  const full = join(root, path);
  const stats = pathKind(full);
  if (!stats) return { path, ...missing };
  const { size, mtimeMs, ctimeMs } = stats;
  return { path, size, mtimeMs, ctimeMs, hash: read ? await hashOf(full, stats) : null };
}

/** Returns null for what has no content that can be read: compared by size and time. */
async function hashOf(path: string, stats: Stats): Promise<string | null> {
  // A pipe would block the thread that reads it.
  if (!stats.isFile() && !stats.isSymbolicLink()) return null;
  const content = stats.isFile() ? readFile(path) : readlink(path, "buffer");
  return content.then(sha256, () => null);
}
