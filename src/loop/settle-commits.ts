import { messageOf, RalphError } from "../base/errors.ts";
import { record } from "../events/outbox-store.ts";
import { recordStory } from "../events/story-events.ts";
import type { Tx } from "../store/db.ts";
import { getTask } from "../tasks/task-store.ts";
import { tickSource } from "../tasks/write-back.ts";
import { commitPaths, findCommit } from "../workspace/commit.ts";
import { status } from "../workspace/status.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { iterationTrailer } from "./commit-message.ts";
import { type Loop, write, writeOnTheWay } from "./loop.ts";
import { finishPendingCommit, type PendingCommit, pendingCommits } from "./pending-commit-store.ts";

type Git = Pick<Loop, "db" | "log" | "clock" | "workspace" | "root"> & {
  readonly runId: string | null;
  /** Called while git commits. */
  readonly meanwhile?: () => void;
};

/**
 * Lets git follow the database: ticks finished tasks in their source files and makes the commits that are owed,
 * once each, however often ralph was killed in between. Returns how many it made or found made.
 *
 * @throws RalphError when git refuses (a failing hook, a lock): the commit stays owed and the next run tries again.
 */
export async function settleCommits(git: Git): Promise<number> {
  const owed = await pendingCommits(git.db);
  for (const commit of owed) await settle(git, commit);
  return owed.length;
}

async function settle(git: Git, owed: PendingCommit): Promise<void> {
  const made = owed.wanted
    ? await findCommit(git.workspace, { base: owed.base, trailer: iterationTrailer, value: owed.iterationId })
    : undefined;
  if (made) return finish(git, owed, made);
  for (const id of owed.finished) await tick(git, id);
  if (!owed.wanted) return finish(git, owed, null);
  try {
    const { message, hooks } = owed;
    const meanwhile = git.meanwhile ?? ((): void => undefined);
    const paths = await withoutForeign(git, owed);
    const { hash, created } = await patiently(() =>
      commitPaths(git.workspace, { paths, message, hooks, meanwhile }),
    );
    // Where the agent committed nothing either, HEAD is another's commit.
    await finish(git, owed, created || hash !== owed.base ? hash : null);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const hint = error.hint ?? null;
    const data = { taskId: owed.taskId, error: messageOf(error), hint };
    await write(git, (tx) => record(tx, { type: "commit.failed", runId: git.runId, data }, git.clock.now()));
    throw error;
  }
}

/** So long, in milliseconds, verified work waits for another git to let go of the index: a person's `git add` of much. */
const patienceMs = 30_000;

/** Each try waits two seconds by itself, and commits nothing twice. */
async function patiently<T>(commit: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + patienceMs; ; ) {
    try {
      return await commit();
    } catch (error) {
      const isLocked = error instanceof RalphError && error.code === "RALPH_GIT_LOCKED";
      if (!isLocked || performance.now() > until) throw error;
    }
  }
}

/** Task lists that git was seen to hold: it is asked about each once, as that takes as long as the commit. */
const held = new WeakMap<Workspace, Set<string>>();

/** A task list may lie outside the repository, or be ignored by git: it is ticked, but no commit can or may hold it. */
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

/** A source file that can no longer be edited must not hold back the commit of verified work: it is told. */
async function tick(git: Git, id: string): Promise<void> {
  const task = await getTask(git.db, id);
  if (!task?.source || task.status !== "done") return;
  const { path } = task.source;
  const why = await tickSource(git.root, task).then(
    (ticked) => (ticked ? null : `${id} is not ticked in ${path}: the file, or the task in it, is gone`),
    (error: unknown) => {
      if (error instanceof RalphError) return error.message;
      throw error;
    },
  );
  if (why === null) return;
  const data = { taskId: id, path, error: why };
  await write(git, (tx) => record(tx, { type: "source.unticked", runId: git.runId, data }, git.clock.now()));
}

/** Of the task and of the parents that were done with it. */
async function tellStories(
  tx: Tx,
  git: Git,
  { owed, hash }: { readonly owed: PendingCommit; readonly hash: string | null },
  now: Date,
): Promise<void> {
  for (const id of owed.finished) {
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

/** Not waited for on the disk: after a power cut recovery finds the commit by its trailer. */
async function finish(git: Git, owed: PendingCommit, hash: string | null): Promise<void> {
  const mark = async (tx: Tx): Promise<void> => {
    const now = git.clock.now();
    await finishPendingCommit(tx, owed.iterationId, hash, now);
    await tellStories(tx, git, { owed, hash }, now);
    if (hash === null) return;
    const subject = owed.message.split("\n", 1)[0] ?? "";
    const data = { taskId: owed.taskId, hash, subject, files: owed.paths.length };
    await record(tx, { type: "commit.created", runId: git.runId, data }, now);
  };
  await writeOnTheWay(git, mark, { durable: false });
}
