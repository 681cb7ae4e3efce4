import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { git, gitPaths } from "./git.ts";
import { parentsOf, pathKind } from "./paths.ts";
import type { Workspace } from "./workspace.ts";

export interface TreeChange {
  /** Paths that only the second tree has. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly modified: readonly string[];
}

/** Returns the differences of two trees; paths are relative to the top level. */
export async function compareTrees(ws: Workspace, from: string, to: string): Promise<TreeChange> {
  const fields = await gitPaths(ws, ["diff-tree", "-r", "-z", "--name-status", "--no-renames", from, to]);
  const of = (kinds: string): string[] =>
    fields.filter((_, index) => index % 2 === 1 && kinds.includes(fields[index - 1] ?? "?"));
  return { added: of("A"), removed: of("D"), modified: of("MT") };
}

export function allPaths({ added, removed, modified }: TreeChange): string[] {
  return [...added, ...removed, ...modified];
}

/**
 * Returns the existing paths where `change` would add a file and that `change` does not remove: ignored or untracked
 * files.
 */
export async function inTheWay(ws: Workspace, change: TreeChange): Promise<string[]> {
  const goes = new Set(change.removed);
  const found = await Promise.all(change.added.map((path) => blockers(ws.topLevel, path, goes)));
  return [...new Set(found.flat())];
}

/**
 * Switches the work tree from one tree to another. `indexFile` contains `from`. Git checks every path before it changes the
 * first, and refuses if a file differs from `from` or an untracked one would be lost. Throws RALPH_GIT_IN_THE_WAY.
 */
export async function switchTree(
  ws: Workspace,
  move: { readonly from: string; readonly to: string; readonly indexFile: string },
): Promise<void> {
  const { from, to, indexFile } = move;
  const blocked = await inTheWay(ws, await compareTrees(ws, from, to));
  if (blocked.length > 0)
    throw new RalphError("RALPH_GIT_IN_THE_WAY", `Existing files are in the way: ${blocked.join(", ")}`, {
      hint: "Move these files elsewhere and run again; nothing was changed.",
    });
  await git(ws, ["read-tree", "-m", "-u", from, to], { indexFile });
}

async function blockers(top: string, path: string, goes: ReadonlySet<string>): Promise<string[]> {
  for (const parent of parentsOf(path)) {
    const stats = pathKind(join(top, parent));
    if (!stats) return [];
    if (!stats.isDirectory()) return goes.has(parent) ? [] : [parent];
  }
  const stats = pathKind(join(top, path));
  if (!stats) return [];
  if (!stats.isDirectory()) return [path];
  const inside = await readdir(join(top, path), { recursive: true, withFileTypes: true });
  const files = inside.filter((entry) => !entry.isDirectory());
  const names = files.map((entry) => join(entry.parentPath, entry.name).slice(top.length + 1));
  return names.filter((name) => !goes.has(name));
}
