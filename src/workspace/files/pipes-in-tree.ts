import { rmSync } from "node:fs";
import { lookThrough } from "../../base/careful-files.ts";
import { runTool, systemFirst } from "../../process/run-tool.ts";
import type { Workspace } from "../workspace.ts";

type Place = Pick<Workspace, "topLevel" | "env">;

/** The absolute paths of pipes that were removed and not yet reported. */
const removed = new Set<string>();

/**
 * Removes pipes and devices in place of the files that git opens in any folder of a work tree, for which it would wait for ever.
 * Returns true if there were any. Reads the names of the whole tree: for a git that did not end in time.
 */
export async function removePipes({ topLevel, env }: Place): Promise<boolean> {
  const names = ["(", "-name", ".gitignore", "-o", "-name", ".gitattributes", ")"];
  const odd = ["!", "-type", "f", "!", "-type", "d", "-print0"];
  const argv = ["find", topLevel, "-xdev", "-name", ".git", "-prune", "-o", ...names, ...odd] as const;
  const { stdout } = await runTool(argv, { cwd: "/", env: systemFirst(env), timeoutMs: 60_000 });
  const pipes = stdout.split("\0").filter((path) => path !== "" && isBlocking(path));
  for (const path of pipes) {
    rmSync(path, { force: true });
    removed.add(path);
  }
  return pipes.length > 0;
}

/** Returns a sentence about each removed pipe of a work tree, its submodules included, once. */
export function takeRemovedPipes({ topLevel }: Place): readonly string[] {
  const paths = [...removed].filter((path) => path.startsWith(`${topLevel}/`));
  for (const path of paths) removed.delete(path);
  return paths.map((path) => `removed ${path.slice(topLevel.length + 1)}: a pipe, for which git waited`);
}

/** Follows links, as git does. */
function isBlocking(path: string): boolean {
  try {
    const found = lookThrough(path);
    return found !== undefined && !found.isFile() && !found.isDirectory();
  } catch {
    // It leads to itself.
    return false;
  }
}
