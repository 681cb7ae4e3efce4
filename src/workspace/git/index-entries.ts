import { type GitOptions, git, gitLines, gitPaths } from "./git.ts";
import type { Workspace } from "./workspace.ts";

/** Returns the paths whose entry in the user's index, or in `indexFile`, differs from that of the commit. */
export async function stagedSince(ws: Workspace, commit: string, index: IndexFile = {}): Promise<string[]> {
  const args = ["diff-index", "--cached", "-z", "--name-only", "--no-renames", "--ignore-submodules=dirty"];
  return gitPaths(ws, [...args, commit], index);
}

/** `:<old mode> <new mode> <old hash> <new hash> <kind>`, then the path, for each. */
async function rawDifferences(ws: Workspace, commit: string, index: IndexFile): Promise<readonly string[]> {
  const format = ["--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=dirty"];
  return gitPaths(ws, ["diff-index", "--cached", ...format, commit], index);
}

/** Resets the entries of `paths` in the user's index, or in `indexFile`, to those of `commit`; all others stay unchanged. */
export async function resetEntries(
  ws: Workspace,
  paths: Iterable<string>,
  commit: string,
  index: IndexFile = {},
): Promise<void> {
  const wanted = new Set(paths);
  const fields = await rawDifferences(ws, commit, index);
  const removals = new Set<string>();
  const entries = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [mode = "", , hash = ""] = (fields[at] ?? "").slice(1).split(" ");
    const path = fields[at + 1] ?? "";
    if (!wanted.has(path)) continue;
    // Always removes first, which also removes the entries of an unfinished merge.
    removals.add(`0 ${"0".repeat(hash.length)}\t${path}\0`);
    if (mode !== "000000") entries.add(`${mode} ${hash}\t${path}\0`);
  }
  if (removals.size === 0) return;
  await git(ws, ["update-index", "-z", "--index-info"], {
    stdin: [...removals, ...entries].join(""),
    ...index,
  });
}

/**
 * Brings the user's index to HEAD after a commit from a private index on the commit `since`: the entries of `paths`, and
 * those of other changed paths that are as in `since`. What a user staged besides stays.
 */
export async function adoptEntries(
  ws: Workspace,
  { since, paths }: { readonly since: string; readonly paths: readonly string[] },
): Promise<void> {
  const [changed, staged] = await Promise.all([
    gitPaths(ws, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", since, "HEAD"]),
    stagedSince(ws, since),
  ]);
  const users = new Set(staged);
  await resetEntries(ws, [...paths, ...changed.filter((path) => !users.has(path))], "HEAD");
}

/** An index file in place of the user's. */
type IndexFile = Pick<GitOptions, "indexFile">;

/** The index entry of a path: `mode hash`; `later` for a path of `git add -N`; null: nothing. */
export type StagedEntry = string | null;

/** Returns the entries of `paths` in the user's index; none for a path that is in conflict. */
export async function stagedEntries(
  ws: Workspace,
  paths: readonly string[],
): Promise<Readonly<Record<string, StagedEntry>>> {
  if (paths.length === 0) return {};
  const wanted = new Set(paths);
  const found = new Map<string, StagedEntry>(paths.map((path) => [path, null]));
  const later = new Set(await addedLater(ws));
  for (const line of await gitPaths(ws, ["ls-files", "--stage", "-z"])) {
    const tab = line.indexOf("\t");
    const path = line.slice(tab + 1);
    if (!wanted.has(path)) continue;
    const [mode = "", hash = "", stage] = line.slice(0, tab).split(" ");
    if (stage !== "0") found.delete(path);
    else found.set(path, later.has(path) ? "later" : `${mode} ${hash}`);
  }
  return Object.fromEntries(found);
}

/** Returns the paths of `git add -N`: only to `diff-files` they are new. */
async function addedLater(ws: Workspace): Promise<readonly string[]> {
  const args = ["diff-files", "--name-only", "--diff-filter=A", "-z", "--ignore-submodules=all"];
  return gitPaths(ws, args);
}

/** Sets entries of the user's index; one whose content git no longer has is left out. */
export async function setEntries(
  ws: Workspace,
  entries: ReadonlyMap<string, StagedEntry>,
  hashLength: number,
): Promise<void> {
  if (entries.size === 0) return;
  const lost = await lostHashes(ws, [...entries.values()]);
  const lines = [...entries].flatMap(([path, entry]) => {
    const [mode = "", hash = ""] = (entry ?? "").split(" ");
    if (lost.has(hash)) return [];
    // Always removes first, which also makes room for a folder in place of a file.
    const none = `0 ${"0".repeat(hashLength)}\t${path}\0`;
    return hash === "" ? [none] : [none, `${mode} ${hash}\t${path}\0`];
  });
  await git(ws, ["update-index", "-z", "--index-info"], { stdin: lines.sort().join("") });
  const later = [...entries].flatMap(([path, entry]) => (entry === "later" ? [path] : []));
  if (later.length > 0) await git(ws, ["add", "--intent-to-add", "--", ...later], { accept: "any" });
}

async function lostHashes(ws: Workspace, entries: readonly StagedEntry[]): Promise<ReadonlySet<string>> {
  const hashes = entries.flatMap((entry) => {
    const [mode, hash] = (entry ?? "").split(" ");
    // The commit of a submodule is in a repository of its own.
    return hash === undefined || mode === "160000" ? [] : [hash];
  });
  if (hashes.length === 0) return new Set();
  const found = await gitLines(ws, ["cat-file", "--batch-check"], { stdin: `${hashes.join("\n")}\n` });
  return new Set(found.flatMap((line) => (line.endsWith(" missing") ? [line.split(" ")[0] ?? ""] : [])));
}
