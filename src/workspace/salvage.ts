import { RalphError } from "../base/errors.ts";
import { cleanText } from "../base/text.ts";
import { endOperations } from "./git/end-operations.ts";
import { git, gitLines } from "./git/git.ts";
import { resetEntries } from "./git/index-entries.ts";
import { mergeTrees } from "./git/merge-trees.ts";
import { moveHead } from "./git/move-head.ts";
import { commitTree, writeTree } from "./git/objects.ts";
import { isRalphs } from "./git/paths.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { fromTop, toTop } from "./git/project-paths.ts";
import { type Head, readHead, resolveCommit } from "./git/read-head.ts";
import { stagePaths } from "./git/stage-paths.ts";
import { status } from "./git/status.ts";
import { allPaths, compareTrees, inTheWay, switchTree } from "./git/switch-tree.ts";
import type { Workspace } from "./git/workspace.ts";

export interface TaskWork {
  /** The task's uncommitted paths, relative to the project root; may include paths that its commits changed. */
  readonly paths: readonly string[];
  /** The commit of HEAD when the task began; later commits are the agent's. */
  readonly startHead: string;
  /** A person's paths (`protectedPaths` of the baseline): they stay, even if the agent committed them. */
  readonly keep?: readonly string[];
  /** A commit with the files as the task found them, if that is not `startHead`: see `Baseline.finished`. */
  readonly startFiles?: string;
  /** Full name of the branch when the task began, null for a detached HEAD; absent: the current branch. */
  readonly startBranch?: string | null;
}

export interface SalvageRequest extends TaskWork {
  /** Below `refs/ralph/salvage/`, `refs/ralph/landing/` or `refs/ralph/rollback/`. */
  readonly ref: string;
  readonly message: string;
}

export interface Salvaged {
  /** The ref with the work: the requested one, or with suffix `.2`, `.3`… if that contains other work. */
  readonly ref: string;
  readonly commit: string;
}

/**
 * Saves a task's changes as a commit under `ref` and then removes exactly them from the work tree, the index and the
 * branch. Can be called again after an interruption at any point. Returns null if there was nothing to save.
 * Errors: RALPH_GIT_IN_THE_WAY (before anything is changed), RALPH_GIT_LOCKED, RALPH_GIT_FAILED.
 */
export async function salvage(ws: Workspace, request: SalvageRequest): Promise<Salvaged | null> {
  checkRef(request.ref);
  const current = await readHead(ws);
  const work = await collect(ws, request, current);
  const start = request.startFiles ?? request.startHead;
  return withPrivateIndex(ws, start, async (indexFile) => {
    await stagePaths(ws, work.paths, indexFile);
    const tree = await writeTree(ws, indexFile);
    const saved = await save(ws, request, { tree, parents: work.parents });
    await switchTree(ws, { from: tree, to: start, indexFile });
    const to = {
      hash: request.startHead,
      ref: request.startBranch === undefined ? current.ref : request.startBranch,
    };
    await moveHead(ws, { from: current, to, reason: "ralph: task set aside" });
    await resetEntries(ws, work.all, request.startHead);
    await endOperations(ws);
    return saved;
  });
}

/** Returns a unique ref for work that is removed permanently, so that it can still be recovered by hand. */
export function rollbackRef(startHead: string): string {
  return `refs/ralph/rollback/${startHead.slice(0, 12)}-${Date.now().toString(36)}`;
}

export function isRollback(ref: string): boolean {
  return ref.startsWith("refs/ralph/rollback/");
}

const landings = "refs/ralph/landing/";
const salvages = "refs/ralph/salvage/";

/** Returns the ref of a task's verified work while it moves to another commit. */
export function landingRef(name: string): string {
  return `${landings}${name}`;
}

export function isLanding(ref: string): boolean {
  return ref.startsWith(landings);
}

/** Deletes the refs of saved work of a task whose work has landed: a conflict or a kill left them. Returns them. */
export async function dropSaved(ws: Workspace, name: string): Promise<readonly string[]> {
  const refs = await refsOf(ws, name, [landings, salvages]);
  for (const ref of refs) await dropSalvage(ws, ref);
  return refs;
}

export interface Restored {
  readonly restored: boolean;
  /** Relative to the project root; if there are any, nothing was changed. */
  readonly conflicts: readonly string[];
}

/**
 * Restores salvaged work as uncommitted changes, merged with later commits. Restores all of it or, on a conflict (with
 * commits, uncommitted or ignored files), nothing. The ref stays until `dropSalvage`. Throws RALPH_GIT_REF for an unknown
 * ref.
 */
export async function restoreSalvage(ws: Workspace, ref: string): Promise<Restored> {
  checkRef(ref);
  const [{ hash: ours }, theirs] = await Promise.all([readHead(ws), resolveCommit(ws, ref)]);
  if (theirs === null || ours === null)
    throw new RalphError("RALPH_GIT_REF", `No salvaged work under ${ref}.`);
  const named = (paths: readonly string[]): Restored => ({
    restored: paths.length === 0,
    conflicts: paths.map((path) => fromTop(ws, path)),
  });
  const merge = await mergeTrees(ws, { base: `${theirs}^1`, ours, theirs });
  if (!merge.clean) return named(merge.conflicts);
  const changed = allPaths(await compareTrees(ws, ours, merge.tree));
  return withPrivateIndex(ws, ours, async (indexFile) => {
    // Files that an interrupted call already restored are not conflicts: treat them as the current state.
    const now = await status(ws);
    const dirty = new Set([...now.tracked, ...now.untracked].map((path) => toTop(ws, path)));
    await stagePaths(
      ws,
      changed.filter((path) => dirty.has(path)),
      indexFile,
    );
    await git(ws, ["update-index", "-q", "--refresh"], { indexFile, accept: [1] });
    const from = await writeTree(ws, indexFile);
    const change = await compareTrees(ws, from, merge.tree);
    const mixed = allPaths(change).filter((path) => dirty.has(path));
    const conflicts = [...new Set([...mixed, ...(await inTheWay(ws, change))])];
    if (conflicts.length === 0) await switchTree(ws, { from, to: merge.tree, indexFile });
    return named(conflicts);
  });
}

/** Deletes the ref of salvaged work. */
export async function dropSalvage(ws: Workspace, ref: string): Promise<void> {
  checkRef(ref);
  await git(ws, ["update-ref", "-d", ref]);
}

interface Collected {
  /** The paths to save and remove, relative to the top level. */
  readonly paths: readonly string[];
  /** `paths` and a person's paths in the agent's commits: their index entries are reset. */
  readonly all: readonly string[];
  readonly parents: readonly string[];
}

async function collect(ws: Workspace, work: TaskWork, current: Head): Promise<Collected> {
  const { startHead, startBranch } = work;
  const moved = current.hash !== null && current.hash !== startHead ? [current.hash] : [];
  const branchTip =
    startBranch && startBranch !== current.ref
      ? ((await resolveCommit(ws, startBranch)) ?? startHead)
      : startHead;
  const diffs = await Promise.all(moved.map((hash) => compareTrees(ws, startHead, hash)));
  const committed = diffs.flatMap(allPaths);
  const kept = new Set((work.keep ?? []).map((path) => toTop(ws, path)));
  const all = new Set([...work.paths.map((path) => toTop(ws, path)), ...committed]);
  const isTheTasks = (path: string): boolean =>
    !kept.has(path) && !path.endsWith("/") && !isRalphs(fromTop(ws, path), ws);
  const left = branchTip === startHead ? [] : [branchTip];
  const parents = [...new Set([work.startFiles ?? startHead, ...moved, ...left])];
  return { paths: [...all].filter(isTheTasks), all: [...all], parents };
}

async function save(
  ws: Workspace,
  request: SalvageRequest,
  what: { readonly tree: string; readonly parents: readonly string[] },
): Promise<Salvaged | null> {
  const earlier = await savedBefore(ws, request, what.tree);
  if (earlier.complete) return earlier.complete;
  if (
    what.parents.length === 1 &&
    allPaths(await compareTrees(ws, request.startFiles ?? request.startHead, what.tree)).length === 0
  )
    return null;
  const commit = await commitTree(ws, { ...what, message: `${cleanText(request.message).trimEnd()}\n` });
  // Forty zeros as the old value: the ref must not exist yet.
  await git(ws, ["update-ref", earlier.free, commit, "0".repeat(commit.length)]);
  return { ref: earlier.free, commit };
}

/**
 * Returns the work that an interrupted call stored under the ref. It is complete if every path that the work tree lacks has
 * its initial state. Different work goes under an unused name, never over an older one.
 */
async function savedBefore(
  ws: Workspace,
  { ref, startHead, startFiles = startHead }: SalvageRequest,
  tree: string,
): Promise<{ complete?: Salvaged; free: string }> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? ref : `${ref}.${number}`;
    const commit = await resolveCommit(ws, name);
    if (commit === null) return { free: name };
    const [sinceSaved, sinceStart] = await Promise.all([
      compareTrees(ws, commit, tree),
      compareTrees(ws, startFiles, tree),
    ]);
    const still = new Set(allPaths(sinceStart));
    if (!allPaths(sinceSaved).some((path) => still.has(path)))
      return { complete: { ref: name, commit }, free: name };
  }
}

function checkRef(ref: string): void {
  if (
    /^refs\/ralph\/(?:salvage|landing|rollback)\/[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?![.]|lock$|$)){0,200}$/.test(
      ref,
    )
  )
    return;
  throw new RalphError("RALPH_GIT_REF", `"${ref}" is not a valid salvage ref.`, {
    hint: "Use refs/ralph/salvage/ and a name of letters, digits, dashes and dots.",
  });
}

/** Returns the refs of salvaged work of a task; `name` is the task's part of a ref. */
export async function salvageRefs(ws: Workspace, name: string): Promise<readonly string[]> {
  return refsOf(ws, name, [salvages]);
}

/** Returns the refs of a task's attempts in these folders; those of a task `t-1-2` are none of `t-1`. */
async function refsOf(ws: Workspace, name: string, folders: readonly string[]): Promise<readonly string[]> {
  const refs = await gitLines(ws, ["for-each-ref", "--format=%(refname)", ...folders]);
  const isOf = (ref: string, prefix: string): boolean =>
    ref.startsWith(prefix) && /^\d+(?:\.\d+)?$/.test(ref.slice(prefix.length));
  return refs.filter((ref) => folders.some((folder) => isOf(ref, `${folder}${name}-`)));
}
