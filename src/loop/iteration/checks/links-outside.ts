import { readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { openTurns } from "../../../base/clock.ts";
import type { Loop } from "../../loop.ts";

/**
 * Returns those of the work's files that are links out of the project, or into git's or ralph's folder: verification
 * follows them, but the commit holds only the link.
 */
export async function linksOutside(
  workspace: Loop["workspace"],
  files: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  const turn = openTurns();
  for (const path of files) {
    if (isLinkOutside(workspace, path)) found.push(path);
    await turn();
  }
  return found;
}

function isLinkOutside(workspace: Loop["workspace"], path: string): boolean {
  try {
    const isLink = lookAt(join(workspace.root, path))?.isSymbolicLink();
    return isLink === true && leadsOutside(workspace, path);
  } catch {
    // A parent is not a folder.
    return false;
  }
}

function leadsOutside({ root, topLevel, prefix }: Loop["workspace"], path: string): boolean {
  const target = readlinkSync(join(root, path));
  // Also one that names the project's folder: in any other copy it leads out.
  if (isAbsolute(target)) return true;
  const way = dirname(prefix + path)
    .split("/")
    .filter((name) => name !== ".");
  for (const name of target.split("/")) {
    if (name === "." || name === "") continue;
    if (name !== "..") way.push(name);
    else if (way.pop() === undefined) return true;
  }
  return isForeign(way) || isForeign(realWay(topLevel, join(root, path)));
}

function isForeign(way: readonly string[]): boolean {
  return way[0] === ".." || way.includes(".git") || way.includes(".ralph");
}

/** Returns where a chain of links ends, relative to the top; nothing for one that ends nowhere. */
function realWay(topLevel: string, path: string): readonly string[] {
  try {
    return relative(realpathSync.native(topLevel), realpathSync.native(path)).split("/");
  } catch {
    return [];
  }
}
