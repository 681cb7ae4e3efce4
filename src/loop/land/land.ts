import { messageOf, RalphError } from "../../base/errors.ts";
import { record } from "../../events/event-store.ts";
import { redactAhead } from "../../events/redact-json.ts";
import { recordStory } from "../../events/story-events.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { refusedByHook, wayOutOfRefusal } from "../../outcome/refused-commit.ts";
import type { Tx } from "../../store/port/db.ts";
import { claimedTask, isTakenOver } from "../../tasks/graph/claim-store.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { adoptCommit, refusalOf } from "../../workspace/commit.ts";
import { prefetchStatus } from "../../workspace/git/status.ts";
import { moveWorkTree } from "../../workspace/work-trees.ts";
import { recordVerdict } from "../iteration/record-verdict.ts";
import type { Verdict } from "../rows/iteration.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { finishPendingCommit, type PendingCommit, pendingCommits } from "../rows/pending-commit-store.ts";
import type { Landing } from "../rows/slot.ts";
import { free, isOwnedBy } from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { withoutUserChanges } from "../tree/exclude-user-changes.ts";
import { bringToTip } from "./bring-to-tip.ts";
import { dropSavedWork } from "./drop-saved-work.ts";
import { landedBefore } from "./landed-before.ts";
import { type CommittedWork, type Git, makeCommit, type Occasion, ownCommits } from "./make-commit.ts";
import { recordRefusal } from "./record-refusal.ts";
import { finishedTasks, setTicks } from "./set-ticks.ts";

/** Makes the commits that a killed run left pending in this tree. Returns how many were not refused. Throws the errors of `land`. */
export async function landPending(loop: Loop, lastAlive: Occasion["lastAlive"]): Promise<number> {
  let landed = 0;
  for (const owed of await pendingCommits(loop.db, loop.workspace.slot)) {
    const outcome = await land(loop, owed, { lastAlive });
    if (outcome?.name !== "failed") landed += 1;
  }
  return landed;
}

/**
 * Makes a pending commit, with the ticks of finished tasks in their source files, and records the attempt by git's
 * answer: done once the commit exists, failed when a hook refuses it (LOOP-21). It is made once, also after kills. In a work tree
 * one slot does so after the other: its work is brought to the tip of the run's branch and verified there.
 * Returns the final outcome; null: it was recorded before.
 *
 * @throws RalphError when git cannot commit (signing, a lock) or a user edited the verified files after a kill: the
 * commit stays pending and the next run retries.
 */
export async function land(loop: Loop, owed: PendingCommit, occasion: Occasion): Promise<Outcome | null> {
  const git = { ...loop, ...occasion };
  const { landing } = git;
  const { verdict } = owed;
  if (landing && owed.wanted && verdict)
    return landing.alone(() => landOnTip({ ...git, landing }, owed, verdict));
  const hash = owed.wanted ? await landedBefore(git, owed, await landing?.tip()) : undefined;
  if (hash) return adopt(git, owed, hash);
  if (verdict && (await isAnothers(git, verdict))) return forgo(git, owed, verdict);
  const end = await commitHere(git, owed, null);
  return end === "moved" ? null : end;
}

/** How often other commits may come first: those were progress too. */
const maxMoves = 50;

async function landOnTip(
  git: Git & { readonly landing: Landing },
  owed: PendingCommit,
  verdict: Verdict,
): Promise<Outcome | null> {
  let now = owed;
  for (let moves = 0; moves < maxMoves; moves += 1) {
    const tip = await git.landing.tip();
    const hash = await landedBefore(git, now, tip);
    if (hash || (await isAnothers(git, verdict))) {
      const outcome = await (hash ? adopt(git, now, hash) : finish(git, now, null));
      await moveWorkTree(git.workspace, tip);
      return outcome;
    }
    const ready = await bringToTip(git, now, tip);
    now = ready.owed;
    if (ready.refused) return recordRefusal(git, { owed: now, verdict, failed: ready.refused, wayOut: null });
    const end = await commitHere(git, now, tip);
    if (end !== "moved") return end;
  }
  const what = `the branch got other commits ${maxMoves} times while ${owed.taskId} was about to land`;
  throw new RalphError("RALPH_GIT_LANDING", what, { hint: "its work waits; to land it: ralph run" });
}

/** Returns true when the task is another run's by now, which its claim in a store on a server says. */
async function isAnothers({ db, landing }: Git, { claim }: Verdict): Promise<boolean> {
  if (landing?.shared) return !(await claimedTask(db, claim));
  return db.dialect.place !== "" && (await isTakenOver(db, claim));
}

/** Records that the task is another run's. The work stays in the tree, as that of a killed attempt. */
async function forgo(git: Git, owed: PendingCommit, verdict: Verdict): Promise<Outcome> {
  await commit(git, async (tx) => {
    const now = git.clock.now();
    await finishPendingCommit(tx, owed, null, now);
    await recordVerdict(tx, git, verdict, now);
  });
  return verdict.outcome;
}

/** Records work whose commit is on the branch. */
async function adopt(git: Git, owed: PendingCommit, hash: string): Promise<Outcome | null> {
  await adoptCommit(git.workspace, hash);
  if (git.landing) await dropSavedWork(git, owed.taskId);
  return finish(git, owed, { hash, message: owed.message, own: await ownCommits(git, owed, hash) });
}

/**
 * Commits the work. `tip`: the commit of the run's branch that the new one replaces; null: the commit is on the branch when it is
 * made. Returns `moved` where the branch is elsewhere by now.
 */
async function commitHere(
  git: Git,
  owed: PendingCommit,
  tip: string | null,
): Promise<Outcome | null | "moved"> {
  const { verdict } = owed;
  const kept = await withoutUserChanges(git, owed.paths, git.lastAlive);
  const tasks = await finishedTasks(git, owed.finished);
  // Without a verdict it is recorded already, and a person may have reopened a task since.
  await setTicks(git, verdict ? tasks : tasks.filter(({ status }) => status === "done"), "tick");
  if (!owed.wanted) return finish(git, owed, null);
  const warnings: string[] = [];
  try {
    const report = (warning: string): void => void warnings.push(warning);
    const work = await makeCommit(git, { ...owed, paths: kept }, { finished: tasks, report });
    if (work && tip !== null && !(await git.landing?.swap(work.hash, tip))) return "moved";
    if (tip !== null) await dropSavedWork(git, owed.taskId);
    // The next task begins with it.
    if (git.nextTask) prefetchStatus(git.workspace);
    return await finish(git, { ...owed, verdict: verdict && warned(verdict, warnings) }, work);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal && verdict) {
      const wayOut = wayOutOfRefusal(refusal, verdict.task);
      return recordRefusal(git, { owed, verdict, failed: refusedByHook(verdict.outcome, refusal), wayOut });
    }
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

async function freeTree(tx: Tx, { workspace }: Git, taskId: string): Promise<void> {
  const state = await readWorkspaceState(tx, workspace);
  if (isOwnedBy(state, taskId)) await writeWorkspaceState(tx, workspace, { ...free(state), finished: [] });
}

/** Not synced to disk: after a power cut recovery finds the commit by its trailer and records it again. */
async function finish(git: Git, owed: PendingCommit, work: CommittedWork | null): Promise<Outcome | null> {
  const { verdict, taskId } = owed;
  const hash = work?.hash ?? null;
  const mark = async (tx: Tx): Promise<void> => {
    const now = git.clock.now();
    let { finished } = owed;
    let isTheTasks = true;
    if (verdict) {
      const sized = work?.size ? { ...verdict, size: work.size } : verdict;
      const { completed, status } = await recordVerdict(tx, git, sized, now);
      finished = completed.map(({ id }) => id);
      // Whoever holds the claim finds the commit by its trailer, and records it.
      isTheTasks =
        !git.landing?.shared || status !== "lost" || (await getTask(tx, taskId))?.status === "done";
    }
    await Promise.all([
      finishPendingCommit(tx, owed, isTheTasks ? work : null, now),
      verdict && freeTree(tx, git, taskId),
    ]);
    await recordStories(tx, git, { owed, finished, hash }, now);
    if (work === null) return;
    const subject = work.message.split("\n", 1)[0] ?? "";
    const own = work.own.map((one) => ({ ...one }));
    const data = { taskId, hash: work.hash, subject, files: owed.paths.length, own };
    await record(tx, { type: "commit.created", runId: git.runId, data }, now);
  };
  for (const list of [owed.story.files, verdict?.outcome.work.files ?? []]) await redactAhead(list);
  await commit(git, mark, { durable: false });
  return verdict?.outcome ?? null;
}
