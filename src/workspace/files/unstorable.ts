import { rmSync } from "node:fs";
import { join } from "node:path";
import { openTurns } from "../../base/clock.ts";
import { kindsIn } from "../git/paths.ts";

/** Git stores 20 to 60 MB a second, and one call may take a minute. */
const maxStoredBytes = 1024 ** 3;

/** Removes the files that git can neither compare nor store: pipes, sockets, devices, and those that are `large`. */
export async function removeUnstorable(
  root: string,
  paths: readonly string[],
  large: ReadonlySet<string>,
): Promise<void> {
  const kindOf = kindsIn(root);
  const turn = openTurns();
  for (const path of paths) {
    await turn();
    const found = kindOf(path);
    const isStorable = !found || found.isFile() || found.isDirectory() || found.isSymbolicLink();
    if (!isStorable || large.has(path)) rmSync(join(root, path), { force: true });
  }
}

/** Returns the largest files, without which git could store the rest in time. */
export async function largestIn(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const kindOf = kindsIn(root);
  const files: { readonly path: string; readonly bytes: number }[] = [];
  const turn = openTurns();
  for (const path of paths) {
    const found = kindOf(path);
    if (found?.isFile()) files.push({ path, bytes: found.size });
    await turn();
  }
  let stored = 0;
  return files
    .sort((one, other) => one.bytes - other.bytes)
    .filter(({ bytes }) => {
      stored += bytes;
      return stored > maxStoredBytes;
    })
    .map(({ path }) => path);
}
