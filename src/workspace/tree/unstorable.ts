import { rmSync } from "node:fs";
import { join } from "node:path";
import { kindsIn } from "../git/paths.ts";

export interface FileSize {
  readonly path: string;
  readonly bytes: number;
}

/** Git stores 20 to 60 MB a second, and one call may take a minute. */
const maxStoredBytes = 1024 ** 3;

/** Removes the files that git can neither compare nor store: pipes, sockets, devices, and those that are `large`. */
export function removeUnstorable(root: string, paths: readonly string[], large: ReadonlySet<string>): void {
  const kindOf = kindsIn(root);
  for (const path of paths) {
    const found = kindOf(path);
    const isStorable = !found || found.isFile() || found.isDirectory() || found.isSymbolicLink();
    if (!isStorable || large.has(path)) rmSync(join(root, path), { force: true });
  }
}

/** Returns the largest files, without which git could store the rest in time. */
export function largestOf(files: readonly FileSize[]): readonly string[] {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxStoredBytes) return [];
  let stored = 0;
  return [...files]
    .sort((one, other) => one.bytes - other.bytes)
    .filter(({ bytes }) => {
      stored += bytes;
      return stored > maxStoredBytes;
    })
    .map(({ path }) => path);
}
