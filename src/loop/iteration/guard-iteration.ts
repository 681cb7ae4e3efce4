import { join, relative } from "node:path";
import { clip, count, oneLine } from "../../base/text.ts";
import { readRowsAtWork } from "../../events/process-rows.ts";
import { revertTampering } from "../../events/revert-tampering.ts";
import { skillFolders } from "../../memory/skill-actions.ts";
import type { View } from "../../store/db.ts";
import { restoreClaim } from "../../tasks/claim-store.ts";
import type { ListText } from "../../tasks/task.ts";
import { readLists, revertTicks } from "../../tasks/write-back.ts";
import { removeFolder } from "../../workspace/clean-tree.ts";
import {
  type Guard,
  type GuardedFolders,
  guardTree,
  openGuarded,
  restoreGuarded,
  restoreHidden,
  restoreTree,
} from "../../workspace/guard.ts";
import { restoreStashes, type Stash, stashesOf } from "../../workspace/stash.ts";
import { asideFolder, restoreFolders } from "../guard/aside-folder.ts";
import { guardStore, type StoreGuard } from "../guard/guard-store.ts";
import { commit, type Loop } from "../loop.ts";
import { endPlantedRuns } from "../run-store.ts";
import { takeOutEdits } from "../tree/take-out-edits.ts";
import type { Iteration } from "./begin-iteration.ts";
import { holdLease } from "./lease.ts";
import { type Preflight, preflightAll, verifyCommandsFor } from "./verify-commands.ts";

/** The state before the agent runs, of all that it may not change; and the lease that keeps the task this run's. */
export interface Guarded {
  readonly files: Guard;
  /** The folders of skills. */
  readonly skills: GuardedFolders;
  /** The rows of tasks and memory. */
  rows: View;
  /** The files of the store and of the event log. */
  readonly store: StoreGuard;
  /** The imported task lists. */
  readonly lists: readonly ListText[];
  stashes: readonly Stash[];
  /** Changes when another connection writes to the store. */
  version: number;
  /** The verification commands that could not be executed even then. */
  readonly preflight: Preflight;
  /** Aborted when the claim is no longer this run's. */
  readonly leaseLost: AbortSignal;
  /** Ends the lease; the iteration's temporary files are removed beside a later agent, or when the run ends. */
  release(): Promise<void>;
}

const maxNamedPaths = 10;

type Guarding = Pick<
  Loop,
  "clock" | "db" | "env" | "folder" | "inputs" | "log" | "options" | "owner" | "root" | "runId" | "workspace"
>;

/** Takes the lease and notes everything that the agent may not change. The caller releases it when the iteration ends. */
export async function guardIteration(
  loop: Guarding & Pick<Loop, "background">,
  iteration: Iteration,
): Promise<Guarded> {
  const lease = holdLease(loop, iteration);
  const release = (): void => {
    lease.stop();
    // What an interrupted agent changed is not a person's.
    loop.inputs.changes();
    const { tmpDir } = iteration;
    loop.background.postpone(tmpDir, () => removeFolder(loop.workspace, tmpDir));
  };
  try {
    // Before the view: a write between the two then costs a needless comparison, and none is missed.
    const version = await loop.db.dialect.changeStamp();
    const stashes = stashesOf(loop.workspace);
    const skills = guardTree(loop.workspace, skillFolders(loop.options.skills));
    const commands = verifyCommandsFor(loop, iteration);
    if (loop.options.verifyGuard !== "off") loop.inputs.begin(commands.map(({ run }) => run));
    const preflight = await preflightAll(loop, commands);
    const lists = await readLists(loop.db, loop.root);
    // A store that this agent damages is rebuilt from the log, and a log that it removes gets no events until it is back.
    await loop.log.flush();
    const store = await guardStore(loop);
    const rows = await loop.db.view();
    // What this agent leaves when ralph is killed is compared with the log up to here, and what ralph wrote since.
    loop.log.head.keep();
    loop.log.head.copyLog();
    const { iterationId } = iteration;
    loop.log.head.setWork({ iterationId, rows: await readRowsAtWork(rows, iteration) });
    const guarded: Guarded = {
      lists,
      files: iteration.state.guard,
      skills,
      rows,
      store,
      stashes,
      version,
      preflight,
      leaseLost: lease.leaseLost,
      release: async () => {
        store.release();
        loop.log.head.keep();
        loop.log.head.setWork(null);
        try {
          await guarded.rows.close();
        } finally {
          release();
        }
      },
    };
    return guarded;
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Restores guarded files and rows that differ, the store's own file too, takes a person's files out of the agent's commits,
 * and returns a warning for each. Changes that
 * users and agents make through ralph stay. May be called repeatedly; it is cheap while no other process writes.
 */
export async function restoreGuardedState(
  loop: Guarding,
  iteration: Pick<Iteration, "claim" | "state">,
  guarded: Guarded,
): Promise<readonly string[]> {
  const opened = openGuarded(loop.workspace);
  const { keepIn, isRestored } = asideFolder(loop);
  const folders = [...(isRestored ? [loop.folder] : []), ...restoreFolders(loop)];
  const files = await restoreGuarded(loop.workspace, guarded.files, keepIn);
  const hidden = await restoreHidden(loop.workspace, guarded.files, keepIn);
  const skills = restoreSkills(loop, guarded, keepIn);
  await guarded.store.restore();
  const storeWarnings = guarded.store.takeWarnings();
  if (guarded.store.takeRebuilt()) {
    await guarded.rows.close();
    guarded.rows = await loop.db.view();
  }
  const version = await loop.db.dialect.changeStamp();
  const isSuspect = storeWarnings.length > 0 || version !== guarded.version;
  const rows = isSuspect ? await revertRows(loop, iteration, guarded) : [];
  guarded.version = version;
  const ticks = await revertTicks(loop.db, { projectRoot: loop.root, keepIn }, guarded.lists);
  const stashes = await restoreStashes(loop.workspace, guarded.stashes);
  guarded.stashes = stashesOf(loop.workspace);
  const takenOut = await takeOutEdits(loop, iteration.state.baseline);
  return [
    ...folders.map((path) => `put back ${relative(loop.root, path)}: an agent may not change it`),
    ...opened.map((path) => `opened ${path}, which the agent had closed`),
    ...storeWarnings,
    ...files.map((path) => `put back ${path}: an agent may not change it`),
    ...hidden,
    ...skills,
    ...stashes.restored.map(({ message }) => `put back a stash that the agent dropped: ${brief(message)}`),
    ...(stashes.movedLog === null
      ? []
      : [`moved git's list of stashes to ${stashes.movedLog}: the agent made it too large to be read`]),
    ...stashes.added.map(
      ({ commit, message }) =>
        `the agent stashed work, which stays in git stash list: ${brief(message)} (git stash show -p ${commit.slice(0, 12)})`,
    ),
    ...rows,
    ...ticks,
    ...takenOut,
  ];
}

/** Restores the folders of skills: an agent that could edit them would instruct all later ones. */
function restoreSkills(
  { root, workspace }: Guarding,
  { skills }: Guarded,
  keepIn: string,
): readonly string[] {
  const { restored, changed } = restoreTree(workspace, skills, keepIn);
  const kept = `an agent may not change skills; its version is in ${relative(root, keepIn)}`;
  const more = restored.length - maxNamedPaths;
  return [
    ...restored.slice(0, maxNamedPaths).map((path) => `put back ${path}: ${kept}`),
    ...(more > 0 ? [`put back ${count(more, "more file")} of skills`] : []),
    ...changed
      .slice(0, maxNamedPaths)
      .map((path) => `${path} changed, which an agent may not do; it is too large for ralph to put back`),
  ];
}

function brief(text: string): string {
  return clip(oneLine(text), 100);
}

async function revertRows(
  loop: Guarding,
  { claim }: Pick<Iteration, "claim">,
  { rows }: Guarded,
): Promise<readonly string[]> {
  const file = join(loop.folder, "events.jsonl");
  return commit(loop, async (tx) => {
    const now = loop.clock.now();
    const warnings = await revertTampering(tx, { before: rows, file }, { runId: loop.runId, now });
    await restoreClaim(tx, claim, { owner: loop.owner, runId: loop.runId }, now);
    // No other can be active beside this one; the next would be refused.
    return [...warnings, ...(await endPlantedRuns(tx, ({ id }) => id !== loop.runId, now))];
  });
}
