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

/** Files beyond these limits are compared only by size and change time. */
const maxFileBytes = 4 * 1024 * 1024;
const maxTotalBytes = 128 * 1024 * 1024;
/** Files that stdout or stderr is redirected to (`ralph run > night.log`): their growth is not an edit. */
const ownOutputs = [1, 2].flatMap(fileBehind);
const missing = { size: -1, mtimeMs: 0, ctimeMs: 0, hash: null };

/** Returns the fingerprints of paths relative to `root`; a missing path has size -1. */
export async function fingerprints(root: string, paths: readonly string[]): Promise<Fingerprint[]> {
  const taken: Fingerprint[] = [];
  let total = 0;
  for (const path of paths) {
    const stats = pathKind(join(root, path));
    const bytes = stats?.size ?? 0;
    const readable = stats !== undefined && bytes <= maxFileBytes && total + bytes <= maxTotalBytes;
    if (readable) total += bytes;
    taken.push(await fingerprint(root, path, readable));
  }
  return taken;
}

/** Returns the paths whose content changed or that no longer exist. */
export async function changedSince(root: string, known: readonly Fingerprint[]): Promise<string[]> {
  const differs = await Promise.all(known.map((before) => isChanged(root, before)));
  return known.filter((_, index) => differs[index]).map(({ path }) => path);
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
