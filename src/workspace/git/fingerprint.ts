import { fstatSync, type Stats } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../base/hash.ts";
import { pathKind } from "./paths.ts";

/** What a file was like: enough to see later whether its content changed. */
export interface Fingerprint {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** Of the content; null where the file was too large to read, or nothing stood there. */
  readonly hash: string | null;
}

/** Files beyond these bounds are known by size and time of change alone. */
const maxFileBytes = 4 * 1024 * 1024;
const maxTotalBytes = 128 * 1024 * 1024;
/** `ralph run > night.log` in the project: each line that is told there would be an edit of a person's file. */
const ownOutputs = [1, 2].flatMap(fileBehind);
const missing = { size: -1, mtimeMs: 0, ctimeMs: 0, hash: null };

/** Takes the fingerprints of paths relative to `root`; a path where nothing stands has size -1. */
export async function fingerprints(root: string, paths: readonly string[]): Promise<Fingerprint[]> {
  const taken: Fingerprint[] = [];
  let total = 0;
  for (const path of paths) {
    const stats = await pathKind(join(root, path));
    const bytes = stats?.size ?? 0;
    const readable = stats !== undefined && bytes <= maxFileBytes && total + bytes <= maxTotalBytes;
    if (readable) total += bytes;
    taken.push(await fingerprint(root, path, readable));
  }
  return taken;
}

/** The paths whose content is another than it was, or that are gone. */
export async function changedSince(root: string, known: readonly Fingerprint[]): Promise<string[]> {
  const differs = await Promise.all(known.map((before) => isChanged(root, before)));
  return known.filter((_, index) => differs[index]).map(({ path }) => path);
}

async function isChanged(root: string, before: Fingerprint): Promise<boolean> {
  const stats = await pathKind(join(root, before.path));
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
    // Closed: nothing is written there.
    return [];
  }
}

async function fingerprint(root: string, path: string, read: boolean): Promise<Fingerprint> {
  const full = join(root, path);
  const stats = await pathKind(full);
  if (!stats) return { path, ...missing };
  const { size, mtimeMs, ctimeMs } = stats;
  const content = stats.isSymbolicLink() ? readlink(full, "buffer") : readFile(full);
  // Unreadable or a folder: size and time must do.
  const hash = read ? await content.then(sha256, () => null) : null;
  return { path, size, mtimeMs, ctimeMs, hash };
}
