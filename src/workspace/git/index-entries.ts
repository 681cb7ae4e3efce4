import type { Workspace } from "../workspace.ts";
import { git, gitRead, splitNul } from "./git.ts";

/** Resets the entries of `paths` in the user's index to those of `commit`; all other entries stay unchanged. */
export async function resetEntries(ws: Workspace, paths: Iterable<string>, commit: string): Promise<void> {
  const wanted = new Set(paths);
  const args = [
    "diff-index",
    "--cached",
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--ignore-submodules=dirty",
  ];
  const fields = splitNul((await gitRead(ws, [...args, commit])).stdout);
  const removals = new Set<string>();
  const entries = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    // `:<old mode> <new mode> <old hash> <new hash> <kind>`, then the path.
    const [mode = "", , hash = ""] = (fields[at] ?? "").slice(1).split(" ");
    const path = fields[at + 1] ?? "";
    if (!wanted.has(path)) continue;
    // Always removes first, which also removes the entries of an unfinished merge.
    removals.add(`0 ${"0".repeat(hash.length)}\t${path}\0`);
    if (mode !== "000000") entries.add(`${mode} ${hash}\t${path}\0`);
  }
  if (removals.size === 0) return;
  await git(ws, ["update-index", "-z", "--index-info"], { stdin: [...removals, ...entries].join("") });
}
