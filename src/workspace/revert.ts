import { RalphError } from "../base/errors.ts";
import { headHash } from "./commit.ts";
import { git, gitRead, lastLines, splitNul } from "./git/git.ts";
import type { Workspace } from "./workspace.ts";

/** The commits that `to` has and `from` has not, newest first; only those that touch the project. */
export async function commitsBetween(ws: Workspace, from: string, to: string): Promise<readonly string[]> {
  const below = ws.prefix === "" ? [] : ["--", ws.prefix];
  const { stdout } = await gitRead(ws, ["rev-list", `${from}..${to}`, ...below]);
  return stdout.split("\n").filter(Boolean);
}

/** The commits that reverts since `base` have taken back, by what git writes into their messages. */
export async function revertedSince(ws: Workspace, base: string): Promise<ReadonlySet<string>> {
  const { stdout } = await gitRead(ws, [
    "log",
    "-z",
    "--no-show-signature",
    "--format=%H%n%B",
    `${base}..HEAD`,
  ]);
  const reverted = new Set<string>();
  // Newest first: a revert that was itself reverted takes nothing back.
  for (const entry of splitNul(stdout)) {
    if (reverted.has(entry.slice(0, entry.indexOf("\n")))) continue;
    for (const [, hash] of entry.matchAll(/^This reverts commit ([0-9a-f]{40,64})\b/gm))
      if (hash) reverted.add(hash);
  }
  return reverted;
}

/**
 * Reverts commits, the newest given first, each by a commit of its own; gives the new HEAD. When one cannot be
 * reverted, none is. Error: RALPH_GIT_REVERT_FAILED.
 */
export async function revertCommit(ws: Workspace, ...hashes: readonly string[]): Promise<string> {
  const odd = hashes.find((hash) => !/^[0-9a-f]{7,64}$/.test(hash));
  if (odd !== undefined) throw new RalphError("RALPH_GIT_REVERT_FAILED", `"${odd}" is no commit.`);
  const result = await git(ws, ["revert", "--no-edit", ...hashes], { accept: "any" });
  if (result.code === 0) return headHash(ws);
  const conflicts = await gitRead(ws, ["diff-files", "-z", "--name-only", "--diff-filter=U"]);
  const started = await gitRead(ws, ["rev-parse", "--verify", "--quiet", "REVERT_HEAD"], { accept: "any" });
  if (started.code === 0) await git(ws, ["revert", "--abort"]);
  const names = [...new Set(splitNul(conflicts.stdout))].join(", ");
  const why =
    names === "" ? lastLines(result.stderr || result.stdout, 3) : `later changes are in the way in ${names}`;
  throw new RalphError("RALPH_GIT_REVERT_FAILED", `Not reverted, ${hashes.join(", ")}: ${why}`, {
    hint: `To do it by hand: git revert ${hashes.join(" ")}`,
  });
}
