import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RalphError } from "../base/errors.ts";
import { headHash } from "./commits/commit-index.ts";
import { conflictingCommits } from "./git/conflicting-commits.ts";
import { git, gitLines, gitPaths, gitRead, lastLines } from "./git/git.ts";
import { fromTop, inScope, toTop } from "./git/project-paths.ts";
import { stagePaths } from "./git/stage-paths.ts";
import type { Workspace } from "./git/workspace.ts";
import { isAncestor } from "./work-trees.ts";

/** Returns the commits of `to` that `from` does not have, newest first; only those that touch the project. */
export async function commitsBetween(ws: Workspace, from: string, to: string): Promise<readonly string[]> {
  return gitLines(ws, ["rev-list", `${from}..${to}`, ...inScope(ws)]);
}

/** Returns these commits in this order; `trailer` is in the messages of ralph's own. */
export async function namedCommits(
  ws: Workspace,
  hashes: readonly string[],
  trailer: string,
): Promise<readonly NamedCommit[]> {
  if (hashes.length === 0) return [];
  const format = `--format=%H%x01%an%x01%s%x01%(trailers:key=${trailer},valueonly)`;
  const args = ["log", "-z", "--no-walk=unsorted", "--no-show-signature", format];
  return (await gitPaths(ws, [...args, ...hashes, "--"])).map((entry) => {
    const [hash = "", author = "", subject = "", owner = ""] = entry.split("\x01");
    return { hash, author, subject, isRalphs: owner.trim() !== "" };
  });
}

export interface NamedCommit {
  readonly hash: string;
  readonly author: string;
  readonly subject: string;
  /** False: it was made during the session, by its agent or by a person. */
  readonly isRalphs: boolean;
}

/** Returns the short names of the branches that have the commit; null: HEAD has it. */
export async function branchesElsewhere(ws: Workspace, hash: string): Promise<readonly string[] | null> {
  if (await isAncestor(ws, hash, "HEAD")) return null;
  const args = ["for-each-ref", `--contains=${hash}`, "--format=%(refname:short)", "refs/heads/"];
  return gitLines(ws, args, { accept: "any" });
}

/**
 * Returns the commits that were reverted since `base`, according to the messages that git writes. Those of a session's `own`
 * commits do not count: they are undone with what they reverted.
 */
export async function revertedSince(
  ws: Workspace,
  base: string,
  own: readonly string[],
): Promise<ReadonlySet<string>> {
  return (await readReverts(ws, [`${base}..HEAD`], own)).reverted;
}

/** Returns the tasks whose commits, by their trailers, HEAD got since `since` (ISO 8601) and nobody reverted, oldest first. */
export async function tasksCommittedSince(ws: Workspace, since: string): Promise<readonly string[]> {
  const { standing } = await readReverts(ws, [`--since=${since}`, "HEAD"], []);
  const tasks = standing.flatMap((entry) => /^Ralph-Task: (.+)$/m.exec(entry)?.[1]?.trim() ?? []);
  return [...new Set(tasks)].reverse();
}

/** Reads which commits of a range were reverted, and the entries of the others, newest first. Nothing where git fails. */
async function readReverts(
  ws: Workspace,
  range: readonly string[],
  own: readonly string[],
): Promise<{ readonly reverted: ReadonlySet<string>; readonly standing: readonly string[] }> {
  const args = ["log", "-z", "--no-show-signature", "--format=%H%n%B", ...range];
  const reverted = new Set<string>();
  const standing: string[] = [];
  // Newest first: a revert that was itself reverted has no effect.
  for (const entry of await gitPaths(ws, args, { accept: "any" })) {
    const hash = entry.slice(0, entry.indexOf("\n"));
    if (reverted.has(hash) || own.includes(hash)) continue;
    standing.push(entry);
    for (const [, gone] of entry.matchAll(/^This reverts commit ([0-9a-f]{40,64})\b/gm))
      if (gone) reverted.add(gone);
  }
  return { reverted, standing };
}

/** Later commits changed the same lines, so nothing was reverted. */
export class RevertConflict extends RalphError {
  /** Relative to the project root. */
  readonly files: readonly string[];
  /** The commits that last changed the conflicting lines. */
  readonly commits: readonly string[];

  constructor(hashes: readonly string[], files: readonly string[], commits: readonly string[]) {
    super(
      "RALPH_GIT_REVERT_FAILED",
      `Cannot revert ${hashes.join(", ")}: later changes conflict in ${files.join(", ")}`,
      { hint: `Revert by hand: git revert ${hashes.join(" ")}` },
    );
    this.files = files;
    this.commits = commits;
  }
}

/** Handles the files that ralph itself edits, the task lists, in a revert. Paths are relative to the project root. */
export interface TickEdits {
  /** Returns the text of a task list with the ticks of the reverted work set; undefined for any other file. */
  tick(path: string, text: string): Promise<string | undefined>;
  /** Removes those ticks from the files after the revert; returns the written paths. */
  untick(): Promise<readonly string[]>;
}

/**
 * Reverts commits, newest first, with one commit each, and returns the new HEAD. Ticks in task lists that would cause a
 * conflict are excluded from the revert and removed as text in its last commit. If one commit cannot be reverted, none
 * is. Errors: RevertConflict, RALPH_GIT_REVERT_FAILED.
 */
export async function revertCommits(
  ws: Workspace,
  hashes: readonly string[],
  ticks: TickEdits | null = null,
): Promise<string> {
  const odd = hashes.find((hash) => !/^[0-9a-f]{7,64}$/.test(hash));
  if (odd !== undefined) throw new RalphError("RALPH_GIT_REVERT_FAILED", `invalid commit hash "${odd}"`);
  const start = await headHash(ws);
  try {
    for (const [at, hash] of hashes.entries()) {
      await applyReverse(ws, { hash, hashes, start, ticks });
      const edited = at === hashes.length - 1 ? await ticks?.untick() : undefined;
      await stageTracked(ws, edited ?? []);
      const subject = (await gitRead(ws, ["log", "-1", "--format=%s", hash])).stdout.trim();
      const stdin = `Revert "${subject}"\n\nThis reverts commit ${hash}.\n`;
      await git(ws, ["commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "-F", "-"], { stdin });
    }
  } catch (error) {
    await git(ws, ["reset", "--quiet", "--merge", start]);
    throw error;
  }
  return headHash(ws);
}

interface Reverse {
  readonly hash: string;
  /** All commits to revert. */
  readonly hashes: readonly string[];
  /** HEAD before the first revert. */
  readonly start: string;
  readonly ticks: TickEdits | null;
}

async function applyReverse(ws: Workspace, { hash, hashes, start, ticks }: Reverse): Promise<void> {
  const result = await git(ws, ["revert", "--no-commit", hash], { accept: "any" });
  if (result.code === 0) return;
  const found = await gitPaths(ws, ["diff-files", "-z", "--name-only", "--diff-filter=U"]);
  const conflicts = [...new Set(found)];
  const open: string[] = [];
  for (const path of conflicts) if (!(await mergeWithoutTicks(ws, path, ticks))) open.push(path);
  if (conflicts.length > 0 && open.length === 0) return;
  const why = lastLines(result.stderr || result.stdout, 3);
  const names = hashes.join(", ");
  if (open.length === 0) {
    throw new RalphError("RALPH_GIT_REVERT_FAILED", `Cannot revert ${names}: ${why}`, {
      hint: `Revert by hand: git revert ${hashes.join(" ")}`,
    });
  }
  const commits = await conflictingCommits(ws, { from: hash, to: start, paths: open });
  const own = new Set(hashes);
  throw new RevertConflict(
    hashes,
    open.map((path) => fromTop(ws, path)),
    commits.filter((commit) => !own.has(commit)),
  );
}

/** Resolves a conflict that only ticks cause: with the tick on both sides, the reverse change does not touch it. */
async function mergeWithoutTicks(ws: Workspace, path: string, ticks: TickEdits | null): Promise<boolean> {
  if (!ticks) return false;
  const stage = async (n: number): Promise<string | undefined> => {
    const { code, stdout } = await gitRead(ws, ["cat-file", "blob", `:${n}:${path}`], { accept: "any" });
    return code === 0 ? stdout : undefined;
  };
  const [base, ours, before] = [await stage(1), await stage(2), await stage(3)];
  if (base === undefined || ours === undefined || before === undefined) return false;
  const theirs = await ticks.tick(fromTop(ws, path), before);
  if (theirs === undefined) return false;
  const merged = await mergeTexts(ws, { base, ours, theirs });
  if (merged === undefined) return false;
  await writeFile(join(ws.topLevel, path), merged);
  await stagePaths(ws, [path]);
  return true;
}

interface Texts {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

async function mergeTexts(ws: Workspace, { base, ours, theirs }: Texts): Promise<string | undefined> {
  const folder = await mkdtemp(join(ws.gitDir, "ralph-merge-"));
  try {
    const names = ["ours", "base", "theirs"].map((name) => join(folder, name));
    for (const [at, text] of [ours, base, theirs].entries()) await writeFile(names[at] ?? "", text);
    const { code } = await git(ws, ["merge-file", "--quiet", ...names], { accept: "any" });
    return code === 0 ? await readFile(names[0] ?? "", "utf8") : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Stages only tracked paths: an ignored task list, or one outside the repository, is edited but not committed. */
async function stageTracked(ws: Workspace, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const full = paths.map((path) => toTop(ws, path));
  await stagePaths(ws, await gitPaths(ws, ["--literal-pathspecs", "ls-files", "-z", "--", ...full]));
}
