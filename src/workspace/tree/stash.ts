import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clip, oneLine } from "../../base/text.ts";
import { git } from "../git/git.ts";
import { pathKind } from "../git/paths.ts";
import type { Workspace } from "../git/workspace.ts";

/** One entry of the stash, which all work trees of a repository share. */
export interface Stash {
  readonly commit: string;
  readonly message: string;
}

/** Returns the stash, oldest first, from its log without a process. */
export function stashesOf(ws: Workspace): readonly Stash[] {
  return logOf(ws).flatMap((line) => {
    const entry = /^[0-9a-f]+ ([0-9a-f]{40,64}) [^\t]*\t(.*)$/.exec(line);
    return entry ? [{ commit: entry[1] ?? "", message: entry[2] ?? "" }] : [];
  });
}

/**
 * Restores missing entries, on top of the others if any remain: a stash is someone's unsaved work. New entries stay: they
 * can belong to a person in another work tree. Returns a sentence for each.
 */
export async function restoreStashes(ws: Workspace, before: readonly Stash[]): Promise<readonly string[]> {
  const now = stashesOf(ws);
  const restored: Stash[] = [];
  const missing = without(before, now);
  // Git notes no entry for a commit that the ref has already.
  if (now.length === 0 && missing.length > 0)
    await git(ws, ["update-ref", "-d", "refs/stash"], { accept: "any" });
  for (const stash of missing) {
    const args = ["stash", "store", "-q", "-m", stash.message, stash.commit];
    if ((await git(ws, args, { accept: "any" })).code === 0) restored.push(stash);
  }
  return [
    ...restored.map(({ message }) => `put back a stash that the agent dropped: ${brief(message)}`),
    ...without(now, before).map(
      ({ commit, message }) =>
        `the agent stashed work, which stays in git stash list: ${brief(message)} (git stash show -p ${commit.slice(0, 12)})`,
    ),
  ];
}

function without(list: readonly Stash[], others: readonly Stash[]): readonly Stash[] {
  const known = new Set(others.map(({ commit }) => commit));
  return list.filter(({ commit }) => !known.has(commit));
}

function brief(message: string): string {
  return clip(oneLine(message), 100);
}

function logOf({ commonDir }: Workspace): readonly string[] {
  const path = join(commonDir, "logs", "refs", "stash");
  return pathKind(path)?.isFile() ? readFileSync(path, "utf8").split("\n") : [];
}
