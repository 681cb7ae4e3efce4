import { gitPaths } from "./git/git.ts";
import { fromTop, inScope } from "./git/project-paths.ts";
import type { Workspace } from "./git/workspace.ts";

/** Returns the project's files that git tracks or would add, relative to the project root. */
export async function projectFiles(ws: Workspace): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", ...inScope(ws)];
  return [...new Set(await gitPaths(ws, args))].map((path) => fromTop(ws, path));
}
