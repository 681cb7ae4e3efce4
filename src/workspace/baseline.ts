import { RalphError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { operationInProgress } from "./git/end-operations.ts";
import { changedSince, type Fingerprint, fingerprints } from "./git/fingerprint.ts";
import { gitRead, splitNul } from "./git/git.ts";
import { resetEntries } from "./git/index-entries.ts";
import { isRalphs } from "./git/paths.ts";
import { readHead } from "./git/read-head.ts";
import { status } from "./status.ts";
import type { Workspace } from "./workspace.ts";

/** How the project stood when the run began: JSON, to be kept over a crash. */
export interface Baseline {
  readonly head: string | null;
  /** Full name of the branch, null when HEAD was detached. */
  readonly branch: string | null;
  /** A person's untracked files. */
  readonly untracked: readonly Fingerprint[];
  /** A person's uncommitted edits to tracked files (only with `allowDirty`). */
  readonly dirty: readonly Fingerprint[];
  /** Path → the blob that holds what a person's file was; files that are many or large have none. */
  readonly copies?: Readonly<Record<string, string>>;
  readonly finished?: FinishedFiles;
}

/**
 * What earlier tasks finished and nobody committed (`commit.enabled: false`). It is among the paths of the baseline, but
 * a task may change it, unlike a person's files.
 */
interface FinishedFiles {
  readonly paths: readonly string[];
  /** Holds them as the task found them: to what its changes are taken back. */
  readonly commit: string;
}

export interface WorkSince {
  /** Not committed, relative to the project root: what a commit of ralph's would take in. */
  readonly changedPaths: readonly string[];
  /** Commits that HEAD has and `startHead` had not, oldest first; only those that touch the project. */
  readonly commits: readonly string[];
  /** Commits that `startHead` had and HEAD has no more, as `hash subject`: history was rewritten. The newest five. */
  readonly dropped: readonly string[];
  /** All that those commits changed, a person's files too. */
  readonly committedPaths: readonly string[];
  /** `changedPaths` and what those commits changed in all. */
  readonly files: readonly string[];
  /** A person's files (untracked, or dirty with `allowDirty`) whose content changed or that are gone. */
  readonly protectedEdits: readonly string[];
  /** A person's untracked files that the agent's own commits hold now. */
  readonly takenIn: readonly string[];
  /** Those of `protectedEdits` that were dirty tracked files: such an edit ends the attempt (LOOP-9). */
  readonly dirtyEdits: readonly string[];
  /** Repositories within the project and names that are not UTF-8: neither committed nor removed. */
  readonly leftAlone: readonly string[];
  readonly head: string | null;
  /** Full name of the branch that HEAD is on now, null when detached. */
  readonly branch: string | null;
}

/**
 * Takes note of what is a person's. Errors: RALPH_GIT_DIRTY when tracked files are dirty and `allowDirty` is false,
 * RALPH_GIT_BUSY in the middle of a merge, rebase, cherry-pick, revert or bisect.
 */
export async function takeBaseline(
  ws: Workspace,
  options: { readonly allowDirty: boolean },
): Promise<Baseline> {
  const [now, current] = await Promise.all([status(ws), readHead(ws), refuseWhenBusy(ws)]);
  if (now.tracked.length > 0 && !options.allowDirty) throw dirty(now.tracked);
  const [untracked, edited] = await Promise.all([
    fingerprints(ws.root, [...now.untracked, ...now.leftAlone]),
    fingerprints(ws.root, now.tracked),
  ]);
  return { head: current.hash, branch: current.ref, untracked, dirty: edited };
}

/** The paths that are a person's, relative to the project root. */
export function protectedPaths(baseline: Baseline): string[] {
  return [...baseline.untracked, ...baseline.dirty].map(({ path }) => path);
}

/** The baseline after edits to protected files that are in order, such as a tick of ralph's own in a task list. */
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
 * What was done since: `startHead` is the commit that HEAD stood at when the iteration, or the task, began. Changes one
 * thing: a person's untracked file that was staged meanwhile (`git add -A`) becomes untracked again.
 */
export async function workSince(
  ws: Workspace,
  since: { readonly baseline: Baseline; readonly startHead: string | null },
): Promise<WorkSince> {
  const { baseline, startHead } = since;
  const current = await readHead(ws);
  const [now, committed, untrackedEdits, dirtyEdits] = await Promise.all([
    status(ws),
    committedSince(ws, startHead, current.hash),
    changedSince(ws.root, baseline.untracked),
    changedSince(ws.root, baseline.dirty),
  ]);
  const mine = new Set(protectedPaths(baseline));
  // What was tracked and staged for removal, but kept as a file, is both: its index entry is the person's.
  const wereDirty = new Set(baseline.dirty.map(({ path }) => path));
  const untracked = baseline.untracked.map(({ path }) => path);
  const wereUntracked = new Set(untracked.filter((path) => !wereDirty.has(path)));
  const staged = now.tracked.filter((path) => wereUntracked.has(path));
  if (staged.length > 0 && current.hash !== null) {
    await resetEntries(
      ws,
      staged.map((path) => ws.prefix + path),
      current.hash,
    );
  }
  const finished = new Set(baseline.finished?.paths);
  const isPersons = (path: string): boolean => !finished.has(path);
  const edits = [...dirtyEdits, ...untrackedEdits];
  const changedPaths = [
    ...[...now.tracked, ...now.untracked].filter((path) => !mine.has(path)),
    ...edits.filter((path) => finished.has(path)),
  ];
  const inCommits = committed.paths.filter((path) => !mine.has(path));
  return {
    changedPaths,
    commits: committed.commits,
    dropped: committed.dropped,
    committedPaths: committed.paths,
    files: [...new Set([...changedPaths, ...inCommits])],
    protectedEdits: edits.filter(isPersons),
    takenIn: committed.paths.filter((path) => wereUntracked.has(path) && isPersons(path)),
    dirtyEdits: dirtyEdits.filter(isPersons),
    leftAlone: now.leftAlone.filter((path) => !mine.has(path)),
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
  const below = ws.prefix === "" ? [] : ["--", ws.prefix];
  const [list, lost, diff] = await Promise.all([
    gitRead(ws, ["rev-list", "--reverse", `${from}..${to}`, ...below]),
    gitRead(ws, ["log", "-z", "--max-count=5", "--no-show-signature", "--format=%h %s", `${to}..${from}`]),
    gitRead(ws, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to, ...below]),
  ]);
  const paths = splitNul(diff.stdout).map((path) => path.slice(ws.prefix.length));
  return {
    commits: list.stdout.split("\n").filter(Boolean),
    dropped: splitNul(lost.stdout),
    paths: paths.filter((path) => !isRalphs(path)),
  };
}

async function refuseWhenBusy(ws: Workspace): Promise<void> {
  const name = await operationInProgress(ws);
  if (name === undefined) return;
  const end = name === "bisect" ? "reset" : "--abort";
  throw new RalphError("RALPH_GIT_BUSY", `A git ${name} is in progress in ${ws.topLevel}.`, {
    hint: `Finish it, or give it up with: git ${name} ${end}`,
  });
}

function dirty(paths: readonly string[]): RalphError {
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  const names = `${paths.slice(0, 5).join(", ")}${more}`;
  return new RalphError("RALPH_GIT_DIRTY", `${count(paths.length, "tracked file")} not committed: ${names}`, {
    hint: "Commit or stash them first, or use --allow-dirty: ralph then leaves these files alone.",
  });
}
