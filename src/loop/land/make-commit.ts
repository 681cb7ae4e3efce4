import { RalphError } from "../../base/errors.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { commitPaths, commitsAfter, type DiffSize, diffSize } from "../../workspace/commit.ts";
import { status } from "../../workspace/git/status.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import type { Loop } from "../rows/loop.ts";
import { maxOwn, type OwnCommit, type PendingCommit } from "../rows/pending-commit-store.ts";
import { sayingThatItWaits } from "../rows/saying-that-it-waits.ts";
import type { LastHeartbeat } from "../tree/last-heartbeat.ts";

export interface Occasion {
  /** The task that most likely comes next: memory is searched for it while git commits. */
  readonly nextTask?: Task | undefined;
  /** At a start after a kill: later changes to the verified files are a user's. */
  readonly lastAlive?: LastHeartbeat | undefined;
}

export type Git = Loop & Occasion;

/** A commit with the message that git holds: the agent's own when it committed all of the work itself. */
export interface CommittedWork {
  readonly hash: string;
  readonly message: SafeText;
  /** The commits that the agent made before it, oldest first. */
  readonly own: readonly OwnCommit[];
  /** The difference to the commit before the attempt; absent: the commit was found after a kill. */
  readonly size?: DiffSize;
}

/** Returns the commit that holds the work, or null when there was nothing to commit. */
export async function makeCommit(
  git: Git,
  owed: PendingCommit,
  { finished, report }: { readonly finished: readonly Task[]; readonly report: (warning: string) => void },
): Promise<CommittedWork | null> {
  const { message, base } = owed;
  const { nextTask } = git;
  const prefetch = () => nextTask && git.background.start(() => git.memory.prefetch(nextTask));
  const paths = await withoutForeign(git, owed.paths, finished);
  const view = git.sandbox?.hooks() ?? null;
  const isolation = { level: git.isolation, marker: git.runId, view };
  const request = { paths, message, isolation, meanwhile: prefetch, report };
  const { hash, created } = await sayingThatItWaits(git, owed.taskId, () =>
    retryWhileLocked(() => commitPaths(git.workspace, request)),
  );
  // Without commits by the agent either, HEAD is not a commit of this work.
  if (!created && hash === base) return null;
  const [own, size] = await Promise.all([
    ownCommits(git, owed, created ? hash : null),
    diffSize(git.workspace, base, hash),
  ]);
  if (created) return { hash, message, own, size };
  return { hash, message: own.at(-1)?.subject ?? safe``, own: own.slice(0, -1), size };
}

/** Returns the commits that the agent made, without `last`, which is ralph's. */
export async function ownCommits(
  { workspace }: Git,
  { base, verdict }: PendingCommit,
  last: string | null,
): Promise<readonly OwnCommit[]> {
  // Most agents make none: then git need not be asked.
  if (last !== null && verdict?.outcome.work.commits.length === 0) return [];
  const found = (await commitsAfter(workspace, base)).filter(({ hash }) => hash !== last);
  return found.slice(-maxOwn).map(({ hash, subject }) => ({ hash, subject: safeLine(subject, 500) }));
}

/** Milliseconds to wait for another process that locks the index, such as a user's large `git add`. */
const maxRetryMs = 30_000;

/** Each attempt waits up to two seconds itself, and never commits twice. */
async function retryWhileLocked<T>(commit: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + maxRetryMs; ; ) {
    try {
      return await commit();
    } catch (error) {
      const isLocked = error instanceof RalphError && error.code === "RALPH_GIT_LOCKED";
      if (!isLocked || performance.now() > until) throw error;
    }
  }
}

/** Task lists known to be in the repository: each is checked once, as the check takes as long as a commit. */
const held = new WeakMap<Workspace, Set<string>>();

/** Returns the paths without task lists that lie outside the repository or are ignored by git: these are only ticked. */
async function withoutForeign(
  git: Git,
  paths: readonly string[],
  finished: readonly Task[],
): Promise<readonly string[]> {
  const sources = new Set(finished.flatMap(({ source }) => (source ? [source.path] : [])));
  const known = held.get(git.workspace) ?? new Set();
  held.set(git.workspace, known);
  if ([...sources].every((path) => known.has(path))) return paths;
  const { tracked, untracked } = await status(git.workspace);
  const ours = new Set([...tracked, ...untracked]);
  for (const path of sources) if (ours.has(path)) known.add(path);
  return paths.filter((path) => !sources.has(path) || ours.has(path));
}
