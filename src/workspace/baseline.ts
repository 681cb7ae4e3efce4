import { RalphError } from "../base/errors.ts";
import { count, nameSome } from "../base/text.ts";
import { changedPathsBetween, committedPaths } from "./diff.ts";
import { operationInProgress } from "./git/end-operations.ts";
import { changedSince, type Fingerprint, fingerprints } from "./git/fingerprint.ts";
import { gitLines, gitPaths } from "./git/git.ts";
import { resetEntries, type StagedEntry, stagedEntries } from "./git/index-entries.ts";
import { contextFile, isRalphs } from "./git/paths.ts";
import { fromTop, inScope, toTop } from "./git/project-paths.ts";
import { readHead } from "./git/read-head.ts";
import { statusAhead } from "./git/status.ts";
import type { Workspace } from "./git/workspace.ts";
import { type IgnoredFiles, ignoredFiles } from "./tree/ignored-files.ts";
import { movedFiles, movedSince } from "./tree/moved-files.ts";
import { openedStatus } from "./tree/opened-status.ts";
import { changedInSubmodules, type SubmoduleChanges, submoduleChanges } from "./tree/submodule-changes.ts";
import { addedSince, type TakenOut, takeOut } from "./tree/take-out.ts";
import { largestOf, removeUnstorable } from "./tree/unstorable.ts";

/** The state of the project at the start of the run, as JSON that survives a crash. */
export interface Baseline extends SubmoduleChanges {
  readonly head: string | null;
  /** Full name of the branch, null when HEAD was detached. */
  readonly branch: string | null;
  /** A person's untracked files. */
  readonly untracked: readonly Fingerprint[];
  /** A person's uncommitted edits to tracked files (only with `allowDirty`). */
  readonly dirty: readonly Fingerprint[];
  /** The index entries of the `dirty` ones. */
  readonly staged: Readonly<Record<string, StagedEntry>>;
  /** Path → blob with the original content of a person's file; absent beyond the limits of `keepCopies`. */
  readonly copies?: Readonly<Record<string, string>>;
  readonly finished?: FinishedFiles;
  /** The ignored paths; absent if it was nothing. */
  readonly ignored?: IgnoredFiles;
}

/**
 * Uncommitted work of finished tasks (`commit.enabled: false`). Its paths are part of the baseline, but a task may change
 * them, unlike a person's files.
 */
interface FinishedFiles {
  readonly paths: readonly string[];
  /** A commit with the files as the task found them, to which a rollback returns. */
  readonly commit: string;
}

export interface WorkSince {
  /** Uncommitted paths that a commit by ralph would include, relative to the project root. */
  readonly changedPaths: readonly string[];
  /** Commits of HEAD that `startHead` does not have, oldest first; only those that touch the project. */
  readonly commits: readonly string[];
  /** Commits of `startHead` that HEAD no longer has, as `hash subject`: history was rewritten. The newest five. */
  readonly dropped: readonly string[];
  /** All paths that those commits changed, including a person's files. */
  readonly committedPaths: readonly string[];
  /** `changedPaths` and the net changes of those commits. */
  readonly files: readonly string[];
  /** The paths that the agent had closed to its own user. */
  readonly opened: readonly string[];
  /** A person's files (untracked, or dirty with `allowDirty`) that were changed or deleted. */
  readonly protectedEdits: readonly string[];
  /** The `protectedEdits` of dirty tracked files: such an edit fails the attempt (LOOP-9). */
  readonly dirtyEdits: readonly string[];
  /**
   * Other paths that now hold such a file, or its content, with its path; and those that git ignored, with the same path.
   * Untracked ones are a person's too.
   */
  readonly moved: ReadonlyMap<string, string>;
  /** Those of them that git tracks: they fail the attempt. */
  readonly movedOver: readonly string[];
  /** Nested repositories and names that are not UTF-8: neither committed nor removed. */
  readonly leftAlone: readonly string[];
  /** Files in submodules that were not changed at the baseline: neither committed nor removed. */
  readonly inSubmodules: readonly string[];
  /** The largest files, in none of the others, where all take more than 1 GB: git would read them for minutes or hours. */
  readonly tooLarge: readonly string[];
  readonly head: string | null;
  /** Full name of the current branch, null when detached. */
  readonly branch: string | null;
}

/**
 * Records the files that belong to a person. Errors: RALPH_GIT_DIRTY when tracked files are dirty, except `mayBeDirty`,
 * RALPH_GIT_BUSY during a merge, rebase, cherry-pick, revert or bisect.
 */
export async function takeBaseline(
  ws: Workspace,
  { mayBeDirty }: { readonly mayBeDirty: "all" | readonly string[] },
): Promise<Baseline> {
  const [now, current] = await Promise.all([statusAhead(ws), readHead(ws), refuseWhenBusy(ws)]);
  const refused = mayBeDirty === "all" ? [] : now.tracked.filter((path) => !mayBeDirty.includes(path));
  if (refused.length > 0) throw dirty(refused);
  const [untracked, edited, staged, inModules] = await Promise.all([
    fingerprints(ws.root, [...now.untracked, ...now.leftAlone]),
    fingerprints(ws.root, now.tracked),
    stagedIn(ws, now.tracked),
    submoduleChanges(ws),
  ]);
  const ignored = now.ignored ? { ignored: ignoredFiles(ws.root, now.ignored) } : {};
  const mine = { untracked, dirty: edited, staged, ...ignored, ...inModules };
  return { head: current.hash, branch: current.ref, ...mine };
}

/** Returns what the index holds for these paths, relative to the project root. */
export async function stagedIn(
  ws: Workspace,
  paths: readonly string[],
): Promise<Readonly<Record<string, StagedEntry>>> {
  const found = await stagedEntries(
    ws,
    paths.map((path) => toTop(ws, path)),
  );
  return Object.fromEntries(Object.entries(found).map(([path, entry]) => [fromTop(ws, path), entry]));
}

/**
 * Takes a person's files, the one that ralph writes for other programs, and what `leaveOut` says of the committed paths, out of
 * the commits that an agent made since the baseline (see `takeOut`). The commits as they were stay under the ref `keptAs`.
 */
export async function withoutPersonsFiles(
  ws: Workspace,
  baseline: Baseline,
  {
    keptAs,
    leaveOut,
  }: { readonly keptAs: string; readonly leaveOut: (paths: readonly string[]) => Promise<readonly string[]> },
): Promise<TakenOut> {
  const { head, finished, ignored, staged = {}, untracked } = baseline;
  const changeable = new Set(finished?.paths);
  const mine = protectedPaths(baseline).filter((path) => !changeable.has(path));
  const { hash } = await readHead(ws);
  if (head === null || hash === null || hash === head) return { paths: [], refused: null };
  // One that was committed before is a person's choice.
  const ralphs = await addedSince(ws, { base: head, head: hash, paths: [ws.prefix + contextFile] });
  const committed = await committedPaths(ws, head, hash);
  const out = await leaveOut(committed);
  if (mine.length + ralphs.length + out.length === 0 && !ignored) return { paths: [], refused: null };
  const moved = await movedFiles(ws, baseline, async () => committed);
  const none = [...untracked.map(({ path }) => path), ...out].map((path) => [path, null] as const);
  const entries = Object.entries({ ...Object.fromEntries(none), [contextFile]: null, ...staged });
  const { paths, refused } = await takeOut(ws, {
    base: head,
    paths: new Set([...ralphs, ...[...mine, ...moved.keys(), ...out].map((path) => toTop(ws, path))]),
    staged: Object.fromEntries(entries.map(([path, entry]) => [toTop(ws, path), entry])),
    keptAs,
  });
  return { paths: paths.map((path) => fromTop(ws, path)), refused };
}

/** Returns the paths that belong to a person, relative to the project root. */
export function protectedPaths(baseline: Baseline): string[] {
  return [...baseline.untracked, ...baseline.dirty].map(({ path }) => path);
}

/** Returns the paths without those that hold a person's files, which were moved there since. */
export async function withoutMoved(
  ws: Workspace,
  baseline: Baseline,
  paths: readonly string[],
): Promise<string[]> {
  const moved = await movedFiles(ws, baseline, async () => paths);
  return paths.filter((path) => !moved.has(path));
}

/** Returns the baseline after legitimate edits to protected files, such as a tick by ralph in a task list. */
export async function acceptEdits(
  ws: Workspace,
  baseline: Baseline,
  paths: readonly string[],
): Promise<Baseline> {
  const accepted = new Set(paths);
  const renew = async (known: readonly Fingerprint[]): Promise<Fingerprint[]> => {
    const fresh = await fingerprints(
      ws.root,
      known.map(({ path }) => path).filter((path) => accepted.has(path)),
    );
    return known.map((before) => fresh.find(({ path }) => path === before.path) ?? before);
  };
  return { ...baseline, untracked: await renew(baseline.untracked), dirty: await renew(baseline.dirty) };
}

/**
 * Returns the work since the baseline. `startHead` is the commit of HEAD at the start of the iteration or task. Has two side
 * effects: a person's untracked file that was staged since (`git add -A`) becomes untracked again, and a tracked file that
 * became a pipe, socket, device or too large is removed, because git can neither compare nor store it.
 */
export async function workSince(
  ws: Workspace,
  since: { readonly baseline: Baseline; readonly startHead: string | null },
): Promise<WorkSince> {
  const { baseline, startHead } = since;
  const current = await readHead(ws);
  const { now, opened, files, others } = await openedStatus(ws);
  const [committed, untrackedEdits, dirtyEdits, inSubmodules] = await Promise.all([
    committedSince(ws, startHead, current.hash),
    changedSince(ws.root, baseline.untracked),
    changedSince(ws.root, baseline.dirty),
    changedInSubmodules(ws, baseline),
  ]);
  const mine = new Set(protectedPaths(baseline));
  const large = new Set(largestOf(files.filter(({ path }) => !mine.has(path))));
  const suspects = new Set([...others, ...large]);
  const unstorable = suspects.size === 0 ? [] : now.tracked.filter((path) => suspects.has(path));
  removeUnstorable(ws.root, unstorable, large);
  // A tracked file that was staged for removal but kept is both: its index entry belongs to the person.
  const wereDirty = new Set(baseline.dirty.map(({ path }) => path));
  const untracked = baseline.untracked.map(({ path }) => path);
  const wereUntracked = new Set(untracked.filter((path) => !wereDirty.has(path)));
  const edits = [...dirtyEdits, ...untrackedEdits];
  const paths = { ...now, committed: committed.paths };
  const { moved, movedOver } = await movedSince(ws, baseline, { paths, head: current.hash });
  const isNew = (path: string): boolean => moved.has(path) && !movedOver.includes(path);
  const staged = now.tracked.filter((path) => wereUntracked.has(path) || isNew(path));
  if (staged.length > 0 && current.hash !== null) {
    await resetEntries(
      ws,
      staged.map((path) => toTop(ws, path)),
      current.hash,
    );
  }
  const finished = new Set(baseline.finished?.paths);
  const isPersons = (path: string): boolean => !finished.has(path);
  const isWork = (path: string): boolean => !mine.has(path) && !isNew(path) && !large.has(path);
  const changedPaths = [
    ...[...now.tracked, ...now.untracked].filter(isWork),
    ...edits.filter((path) => finished.has(path)),
  ];
  const inCommits = committed.paths.filter(isWork);
  return {
    changedPaths,
    commits: committed.commits,
    dropped: committed.dropped,
    committedPaths: committed.paths,
    files: [...new Set([...changedPaths, ...inCommits])],
    protectedEdits: edits.filter(isPersons),
    dirtyEdits: dirtyEdits.filter(isPersons),
    moved,
    movedOver,
    leftAlone: now.leftAlone.filter((path) => !mine.has(path)),
    inSubmodules,
    tooLarge: [...large],
    opened,
    head: current.hash,
    branch: current.ref,
  };
}

async function committedSince(
  ws: Workspace,
  from: string | null,
  to: string | null,
): Promise<{ commits: string[]; dropped: string[]; paths: string[] }> {
  if (from === null || to === null || from === to) return { commits: [], dropped: [], paths: [] };
  const [commits, dropped, paths] = await Promise.all([
    gitLines(ws, ["rev-list", "--reverse", `${from}..${to}`, ...inScope(ws)]),
    gitPaths(ws, ["log", "-z", "--max-count=5", "--no-show-signature", "--format=%h %s", `${to}..${from}`]),
    changedPathsBetween(ws, from, to),
  ]);
  return { commits, dropped, paths: paths.filter((path) => !isRalphs(path, ws)) };
}

async function refuseWhenBusy(ws: Workspace): Promise<void> {
  const name = await operationInProgress(ws);
  if (name === undefined) return;
  const end = name === "bisect" ? "reset" : "--abort";
  throw new RalphError("RALPH_GIT_BUSY", `A git ${name} is in progress in ${ws.topLevel}.`, {
    hint: `Finish it, or abort it with: git ${name} ${end}`,
  });
}

function dirty(paths: readonly string[]): RalphError {
  const names = nameSome(paths, 5);
  const isElsewhere = paths.every((path) => path.startsWith("../"));
  const limit = isElsewhere ? " `scope: .` in .ralph/config.yaml limits the project to its folder." : "";
  return new RalphError("RALPH_GIT_DIRTY", `${count(paths.length, "tracked file")} not committed: ${names}`, {
    hint: `Commit or stash them first, or use --allow-dirty: ralph then leaves these files alone.${limit}`,
  });
}
