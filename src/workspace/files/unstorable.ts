import { rmSync } from "node:fs";
import { join } from "node:path";
import { kindsIn } from "../git/paths.ts";

/** Git stores 20 to 60 MB a second, and one call may take a minute. */
const maxStoredBytes = 1024 ** 3;

/**
 * Removes the files that git can neither compare nor store: pipes, sockets, devices, and large ones that are not `spared`. Returns
 * the large ones.
 */
export function removeUnstorable(
  root: string,
  paths: readonly string[],
  spared: ReadonlySet<string>,
): readonly string[] {
  const kindOf = kindsIn(root);
  const large = largeIn(root, paths).filter((path) => !spared.has(path));
  for (const path of paths) {
    const found = kindOf(path);
    const isStorable = !found || found.isFile() || found.isDirectory() || found.isSymbolicLink();
    if (!isStorable || large.includes(path)) rmSync(join(root, path), { force: true });
  }
  return large;
}

/** Returns the paths of files that are too large. */
export function largeIn(root: string, paths: readonly string[]): readonly string[] {
  const kindOf = kindsIn(root);
  return paths.filter((path) => {
    const found = kindOf(path);
    return found?.isFile() === true && found.size > maxStoredBytes;
  });
}
