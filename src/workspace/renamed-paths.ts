import { join } from "node:path";
import { lookAt } from "../base/careful-files.ts";
import { gitPaths, gitRead } from "./git/git.ts";
import { fromTop, toTop } from "./git/project-paths.ts";
import type { Workspace } from "./git/workspace.ts";

/** Paths that git is asked for, and renames of one file that are followed. */
const limits = { paths: 20, renames: 5 };

/**
 * Returns where missing files of the project are now, by their old paths: those that the index or a commit of this branch renamed. Others are
 * not in the map.
 */
export async function renamedPaths(
  ws: Workspace,
  missing: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const staged = await renamesIn(ws, ["diff-index", "--cached", "HEAD"]);
  for (const path of missing.slice(0, limits.paths)) {
    let now: string | undefined = toTop(ws, path);
    for (let n = 0; n < limits.renames && now !== undefined; n += 1) {
      now = staged.get(now) ?? (await committedRename(ws, now));
      if (now === undefined || lookAt(join(ws.topLevel, now)) === undefined) continue;
      found.set(path, fromTop(ws, now));
      break;
    }
  }
  return found;
}

/** Returns the path to which the last commit that took a path away moved it; undefined: it did not. */
async function committedRename(ws: Workspace, path: string): Promise<string | undefined> {
  const last = ["log", "-1", "--format=%H", "--no-renames", "--diff-filter=D", "HEAD", "--", path];
  const commit = (await gitRead(ws, last, { accept: "any" })).stdout.trim();
  if (commit === "") return undefined;
  return (await renamesIn(ws, ["diff-tree", "--no-commit-id", "-r", commit])).get(path);
}

async function renamesIn(ws: Workspace, args: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const [command = "", ...more] = args;
  const renames = [command, "-M", "-z", "--name-status", "--diff-filter=R", ...more];
  const fields = await gitPaths(ws, renames, { accept: "any" });
  const found = new Map<string, string>();
  for (let at = 0; at + 2 < fields.length; at += 3) found.set(fields[at + 1] ?? "", fields[at + 2] ?? "");
  return found;
}
