import { nameSome } from "../base/text.ts";
import {
  CommitRefused,
  commitIndex,
  committedOrNothing,
  type HookRefusal,
  headHash,
  type IndexCommit,
} from "./commits/commit-index.ts";
import { canRunHooks } from "./commits/isolate-hooks.ts";
import { changedPathsBetween } from "./diff.ts";
import { statFingerprint } from "./git/fingerprint.ts";
import { git, gitPaths, gitRead, splitNul } from "./git/git.ts";
import { adoptEntries, stagedSince } from "./git/index-entries.ts";
import { writeTree } from "./git/objects.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { toTop } from "./git/project-paths.ts";
import { readHead } from "./git/read-head.ts";
import { stagedAsSeen } from "./git/seen-index.ts";
import { stagePaths } from "./git/stage-paths.ts";
import type { Workspace } from "./git/workspace.ts";

interface CommitRequest extends IndexCommit {
  /** Exactly the paths to commit (new, changed or deleted), relative to the project root. */
  readonly paths: readonly string[];
  /** Called with a sentence about the files that hooks changed after the work was verified. */
  readonly report?: (warning: string) => void;
}

export interface Committed {
  /** The new commit, or HEAD if there was nothing to commit. */
  readonly hash: string;
  readonly created: boolean;
}

/**
 * Commits these paths as the user; other staged changes stay staged and are not committed. Changes of a hook to these paths
 * are committed too: if a hook refuses after changing them, the commit is retried once.
 * Errors: CommitRefused (a hook refused), RALPH_GIT_COMMIT_FAILED (signing, a hook that cannot run),
 * RALPH_GIT_LOCKED, RALPH_GIT_NO_COMMIT.
 */
export async function commitPaths(ws: Workspace, request: CommitRequest): Promise<Committed> {
  const paths = request.paths.filter((path) => !path.endsWith("/")).map((path) => toTop(ws, path));
  if (paths.length === 0) return { hash: await headHash(ws), created: false };
  const first = await tryToCommit(ws, request, paths);
  const last = first.refused && first.touched ? await tryToCommit(ws, request, paths) : first;
  if (last.refused) throw last.refused;
  const commit = last.touched ? { hash: await amendWith(ws, paths), created: true } : last.committed;
  if (!commit.created || first.tree === null) return commit;
  // As a hook does that formats files.
  const changed = await changedPathsBetween(ws, first.tree, commit.hash);
  if (changed.length > 0) request.report?.(`a hook changed ${nameSome(changed)} after verification`);
  return commit;
}

type CommitAttempt = {
  readonly touched: boolean;
  /** The tree to commit; null: no hook ran. */
  readonly tree: string | null;
} & ({ readonly refused: CommitRefused } | { readonly refused?: never; readonly committed: Committed });

/** `touched`: files of `paths` were written during the commit, as by a formatting hook. */
async function tryToCommit(
  ws: Workspace,
  request: CommitRequest,
  paths: readonly string[],
): Promise<CommitAttempt> {
  const stamp = (): Promise<string> => statFingerprint(ws.topLevel, paths);
  const before = request.hooks === false ? null : await stamp();
  const touched = async (): Promise<boolean> => before !== null && (await stamp()) !== before;
  let tree: string | null = null;
  const onTree = (hash: string): void => {
    tree = hash;
  };
  try {
    const committed = await commitStaged(ws, request, { paths, onTree });
    return { committed, tree, touched: committed.created && (await touched()) };
  } catch (refused) {
    if (refused instanceof CommitRefused) return { refused, tree, touched: await touched() };
    throw refused;
  }
}

async function commitStaged(
  ws: Workspace,
  request: CommitRequest,
  { paths, onTree }: { readonly paths: readonly string[]; readonly onTree: (tree: string) => void },
): Promise<Committed> {
  const before = await headHash(ws);
  const wanted = new Set(paths);
  const isAlone = (staged: readonly string[]): boolean => staged.every((path) => wanted.has(path));
  const seen = stagedAsSeen(ws, before);
  if (request.hooks !== false && (await canRunHooks(ws))) {
    const alone = isAlone(seen ?? (await stagedSince(ws, before)));
    return commitThroughHooks(ws, request, { before, paths, isAlone: alone, onTree });
  }
  // Concurrent: entries of other paths are the same before and after the commit.
  const [staged] = await Promise.all([seen ?? stagedSince(ws, before), stagePaths(ws, paths)]);
  if (isAlone(staged)) {
    const committed = await committedOrNothing(ws, request, { before });
    return committed === "nothing"
      ? { hash: before, created: false }
      : { hash: await headHash(ws), created: true };
  }
  if (!(await stagedSince(ws, before)).some((path) => wanted.has(path)))
    return { hash: before, created: false };
  await withPrivateIndex(ws, before, async (indexFile) => {
    await stagePaths(ws, paths, indexFile);
    await commitIndex(ws, request, { before, indexFile });
  });
  return { hash: await headHash(ws), created: true };
}

interface Staging {
  /** HEAD. */
  readonly before: string;
  /** Relative to the top level. */
  readonly paths: readonly string[];
  /** True: nothing else is staged. */
  readonly isAlone: boolean;
  /** Called with the tree to commit before a hook runs. */
  readonly onTree: (tree: string) => void;
}

/**
 * Commits the paths with the repository's hooks, from a private index: a refusal, or a kill while a hook runs, leaves the user's
 * index as it was. Errors: as of `commitPaths`.
 */
async function commitThroughHooks(
  ws: Workspace,
  request: IndexCommit,
  { before, paths, isAlone, onTree }: Staging,
): Promise<Committed> {
  await withPrivateIndex(ws, isAlone ? null : before, async (indexFile) => {
    await stagePaths(ws, paths, indexFile);
    onTree(await writeTree(ws, indexFile));
    await committedOrNothing(ws, request, { before, indexFile });
  });
  await adoptEntries(ws, { since: before, paths });
  const { hash } = await readHead(ws);
  return { hash: hash ?? before, created: hash !== null && hash !== before };
}

/** Returns what a hook said if `error` is its refusal; undefined for any other error. */
export function refusalOf(error: unknown): HookRefusal | undefined {
  return error instanceof CommitRefused ? error.refusal : undefined;
}

/**
 * Brings the user's index to a commit that a kill kept it from following: entries that are still those of the commit's
 * parent become those of HEAD.
 */
export async function adoptCommit(ws: Workspace, hash: string): Promise<void> {
  await adoptEntries(ws, { since: `${hash}^`, paths: [] });
}

/** Amends the new commit with these paths if hooks changed them. Returns HEAD. */
async function amendWith(ws: Workspace, paths: readonly string[]): Promise<string> {
  const commit = await headHash(ws);
  const wanted = new Set(paths);
  await stagePaths(ws, paths);
  const staged = await stagedSince(ws, commit);
  if (!staged.some((path) => wanted.has(path))) return commit;
  const amend = ["-c", "i18n.commitEncoding=UTF-8", "commit", "--quiet", "--amend", "--no-edit"];
  if (staged.every((path) => wanted.has(path))) await git(ws, amend);
  else {
    await withPrivateIndex(ws, commit, async (indexFile) => {
      await stagePaths(ws, paths, indexFile);
      await git(ws, amend, { indexFile });
    });
  }
  return headHash(ws);
}

/** Returns the commits after `base` with the first lines of their messages, oldest first. */
export async function commitsAfter(
  ws: Workspace,
  base: string,
): Promise<readonly { readonly hash: string; readonly subject: string }[]> {
  const args = ["log", "-z", "--reverse", "--no-show-signature", "--format=%H %s", `${base}..HEAD`];
  return (await gitPaths(ws, args)).map((line) => {
    const [hash = "", ...words] = line.trim().split(" ");
    return { hash, subject: words.join(" ") };
  });
}

/** The size of a difference, as `git diff --shortstat` counts it. */
export interface DiffSize {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** Returns the size of the difference between two commits. */
export async function diffSize(ws: Workspace, from: string, to: string): Promise<DiffSize> {
  const args = ["diff", "--shortstat", "--no-ext-diff", "--no-textconv", from, to];
  const { stdout } = await gitRead(ws, args);
  const number = (unit: RegExp): number => Number(unit.exec(stdout)?.[1] ?? 0);
  return { files: number(/(\d+) file/), added: number(/(\d+) insertion/), removed: number(/(\d+) deletion/) };
}

/**
 * Returns the newest commit between `base`, or the time `since`, and `tip` (absent: HEAD) whose message ends with the trailer
 * `trailer: value`; undefined if there is none.
 */
export async function findCommit(
  ws: Workspace,
  search: {
    readonly base?: string;
    readonly since?: Date;
    readonly trailer: string;
    readonly value: string;
    readonly tip?: string | undefined;
  },
): Promise<string | undefined> {
  const hash = search.tip ?? (await readHead(ws)).hash;
  if (hash === null || hash === search.base) return undefined;
  const line = `${search.trailer}: ${search.value}`;
  const { stdout } = await gitRead(ws, [
    ...["log", "-z", "--no-show-signature", "--format=%H%n%B", "--fixed-strings", `--grep=${line}`],
    ...(search.since ? [`--since=${search.since.toISOString()}`] : []),
    search.base === undefined ? hash : `${search.base}..${hash}`,
  ]);
  const commit = splitNul(stdout).find((entry) => lastParagraph(entry).includes(line));
  return commit?.slice(0, commit.indexOf("\n"));
}

function lastParagraph(message: string): string[] {
  return (
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? ""
  )
    .split("\n")
    .map((line) => line.trimEnd());
}
