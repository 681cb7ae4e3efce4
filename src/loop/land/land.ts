import { messageOf, RalphError } from "../../base/errors.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { record } from "../../events/event-store.ts";
import { redactAhead } from "../../events/redact-json.ts";
import { recordStory } from "../../events/story-events.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Tx } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { adoptCommit, commitPaths, commitsAfter, findCommit, refusalOf } from "../../workspace/commit.ts";
import { prefetchStatus, status } from "../../workspace/git/status.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { iterationTrailer } from "../iteration/commit-message.ts";
import { recordVerdict } from "../iteration/record-verdict.ts";
import type { Verdict } from "../rows/iteration.ts";
import { commit, type Loop } from "../rows/loop.ts";
import {
  finishPendingCommit,
  maxOwn,
  type OwnCommit,
  type PendingCommit,
  pendingCommits,
} from "../rows/pending-commit-store.ts";
import { free, isOwnedBy } from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { withoutUserChanges } from "../tree/exclude-user-changes.ts";
import type { LastHeartbeat } from "../tree/last-heartbeat.ts";
import { recordRefusal } from "./record-refusal.ts";
import { setTicks } from "./set-ticks.ts";

interface Occasion {
  /** The task that most likely comes next: memory is searched for it while git commits. */
  readonly nextTask?: Task | undefined;
  /** At a start after a kill: later changes to the verified files are a user's. */
  readonly lastAlive?: LastHeartbeat | undefined;
}

type Git = Occasion &
  Pick<
    Loop,
    | "background"
    | "clock"
    | "db"
    | "folder"
    | "isolation"
    | "sandbox"
    | "log"
    | "memory"
    | "options"
    | "owner"
    | "root"
    | "runId"
    | "workspace"
  >;

/** The result of a pending commit. */
interface Landed {
  readonly iterationId: string;
  /** The attempt's final outcome; null: it was recorded before. */
  readonly outcome: Outcome | null;
  /** False: a hook refused it. */
  readonly made: boolean;
}

/**
 * Makes the pending commits, with the ticks of finished tasks in their source files, and records each attempt by git's
 * answer: done once the commit exists, failed when a hook refuses it (LOOP-21). Each is made once, also after kills.
 *
 * @throws RalphError when git cannot commit (signing, a lock) or a user edited the verified files after a kill: the
 * commit stays pending and the next run retries.
 */
export async function land(
  loop: Omit<Git, keyof Occasion>,
  occasion: Occasion = {},
): Promise<readonly Landed[]> {
  const git = { ...loop, ...occasion };
  const landed: Landed[] = [];
  for (const commit of await pendingCommits(git.db)) {
    const outcome = await settle(git, commit);
    const made = outcome?.name !== "failed";
    landed.push({ iterationId: commit.iterationId, outcome, made });
  }
  return landed;
}

async function settle(git: Git, owed: PendingCommit): Promise<Outcome | null> {
  const { base, head = base, iterationId: value, verdict } = owed;
  // Not among the agent's own commits, which may have any trailer.
  const search = { base: head, trailer: iterationTrailer, value };
  const made = owed.wanted ? await findCommit(git.workspace, search) : undefined;
  if (made) {
    await adoptCommit(git.workspace, made);
    return finish(git, owed, { hash: made, message: owed.message, own: await ownCommits(git, owed, made) });
  }
  const kept = await withoutUserChanges(git, owed.paths, git.lastAlive);
  await setTicks(git, verdict ? owed.finished : await stillDone(git, owed), "tick");
  if (!owed.wanted) return finish(git, owed, null);
  const warnings: string[] = [];
  try {
    const made = await makeCommit(git, { ...owed, paths: kept }, (warning) => warnings.push(warning));
    // The next task begins with it.
    if (git.nextTask) prefetchStatus(git.workspace);
    return await finish(git, { ...owed, verdict: verdict && warned(verdict, warnings) }, made);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal && verdict) return recordRefusal(git, { owed, verdict, refusal });
    if (!(error instanceof RalphError)) throw error;
    const hint = error.hint ?? null;
    const data = { taskId: owed.taskId, error: messageOf(error), hint };
    await commit(git, (tx) => record(tx, { type: "commit.failed", runId: git.runId, data }, git.clock.now()));
    throw error;
  }
}

function warned(verdict: Verdict, more: readonly string[]): Verdict {
  const { outcome } = verdict;
  const warnings = [...outcome.work.warnings, ...more];
  return { ...verdict, outcome: { ...outcome, work: { ...outcome.work, warnings } } };
}

/** Returns the finished tasks whose status no user changed since: only these are ticked. */
async function stillDone({ db }: Git, { finished }: PendingCommit): Promise<readonly string[]> {
  const tasks = await Promise.all(finished.map((id) => getTask(db, id)));
  return tasks.flatMap((task) => (task?.status === "done" ? [task.id] : []));
}

/** A commit with the message that git holds: the agent's own when it committed all of the work itself. */
interface Made {
  readonly hash: string;
  readonly message: SafeText;
  /** The commits that the agent made before it, oldest first. */
  readonly own: readonly OwnCommit[];
}

/** Returns the commit that holds the work, or null when there was nothing to commit. */
async function makeCommit(
  git: Git,
  owed: PendingCommit,
  report: (warning: string) => void,
): Promise<Made | null> {
  const { message, base } = owed;
  const { nextTask } = git;
  const prefetch = () => nextTask && git.background.start(() => git.memory.prefetch(nextTask));
  const paths = await withoutForeign(git, owed);
  const view = git.sandbox?.hooks() ?? null;
  const isolation = { level: git.isolation, marker: git.runId, view };
  const request = { paths, message, isolation, meanwhile: prefetch, report };
  const { hash, created } = await retryWhileLocked(() => commitPaths(git.workspace, request));
  // Without commits by the agent either, HEAD is not a commit of this work.
  if (!created && hash === base) return null;
  const own = await ownCommits(git, owed, created ? hash : null);
  if (created) return { hash, message, own };
  return { hash, message: own.at(-1)?.subject ?? safe``, own: own.slice(0, -1) };
}

/** Returns the commits that the agent made, without `last`, which is ralph's. */
async function ownCommits(
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
async function withoutForeign(git: Git, { paths, finished }: PendingCommit): Promise<readonly string[]> {
  const tasks = await Promise.all(finished.map((id) => getTask(git.db, id)));
  const sources = new Set(tasks.flatMap((task) => (task?.source ? [task.source.path] : [])));
  const known = held.get(git.workspace) ?? new Set();
  held.set(git.workspace, known);
  if ([...sources].every((path) => known.has(path))) return paths;
  const { tracked, untracked } = await status(git.workspace);
  const ours = new Set([...tracked, ...untracked]);
  for (const path of sources) if (ours.has(path)) known.add(path);
  return paths.filter((path) => !sources.has(path) || ours.has(path));
}

/** Records the completion of the task and of the parents that are done with it. */
async function recordStories(
  tx: Tx,
  git: Git,
  end: { readonly owed: PendingCommit; readonly finished: readonly string[]; readonly hash: string | null },
  now: Date,
): Promise<void> {
  const { owed, hash } = end;
  for (const id of end.finished) {
    const own = id === owed.taskId;
    const story = {
      type: "story_complete",
      storyId: id,
      storyTitle: own ? owed.story.title : ((await getTask(tx, id))?.title ?? ""),
      filesModified: own ? owed.story.files : [],
      commitHash: hash,
      duration: own ? owed.story.durationMs : 0,
      summary: own ? owed.story.summary : "all its parts are done",
    } as const;
    await recordStory(tx, git, story, now);
  }
}

/** Not synced to disk: after a power cut recovery finds the commit by its trailer and records it again. */
async function finish(git: Git, owed: PendingCommit, made: Made | null): Promise<Outcome | null> {
  const { verdict, taskId } = owed;
  const hash = made?.hash ?? null;
  const mark = async (tx: Tx): Promise<void> => {
    const now = git.clock.now();
    await finishPendingCommit(tx, owed, made, now);
    let { finished } = owed;
    if (verdict) {
      const { completed } = await recordVerdict(tx, git, verdict, now);
      finished = completed.map(({ id }) => id);
      const state = await readWorkspaceState(tx);
      if (isOwnedBy(state, taskId)) await writeWorkspaceState(tx, { ...free(state), finished: [] });
    }
    await recordStories(tx, git, { owed, finished, hash }, now);
    if (made === null) return;
    const subject = made.message.split("\n", 1)[0] ?? "";
    const own = made.own.map((one) => ({ ...one }));
    const data = { taskId, hash: made.hash, subject, files: owed.paths.length, own };
    await record(tx, { type: "commit.created", runId: git.runId, data }, now);
  };
  for (const list of [owed.story.files, verdict?.outcome.work.files ?? []]) await redactAhead(list);
  await git.background.commit(mark, { durable: false });
  return verdict?.outcome ?? null;
}
