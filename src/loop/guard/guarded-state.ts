import { join, relative } from "node:path";
import { clip, count, oneLine } from "../../base/text.ts";
import { restoreProcessRows } from "../../events/process-rows.ts";
import { revertTampering } from "../../events/revert-tampering.ts";
import { skillFolders } from "../../memory/skill-actions.ts";
import type { View } from "../../store/db.ts";
import { restoreClaim } from "../../tasks/claim-store.ts";
import type { Claim, ListText } from "../../tasks/task.ts";
import { readLists, revertTicks } from "../../tasks/write-back.ts";
import {
  type Guard,
  type GuardedFolders,
  guardTree,
  type RestoredFile,
  restoreGuardedFiles,
  restoreHidden,
  restoreTree,
  restoreUnfinished,
} from "../../workspace/guard.ts";
import { restoreStashes, type Stash, stashesOf } from "../../workspace/stash.ts";
import { dropStatusAhead, prefetchStatus } from "../../workspace/status.ts";
import { commit, type Loop } from "../loop.ts";
import { endPlantedRuns } from "../run-store.ts";
import { type AgentFiles, watchAgentFiles } from "./agent-files.ts";
import { asideFolder, restoreFolders } from "./aside-folder.ts";
import { guardStore, type StoreGuard } from "./guard-store.ts";
import { type KeptSettings, watchDestinations } from "./kept-settings.ts";

/** The former state of what neither an agent nor the code that it wrote may change. */
export interface GuardedState {
  readonly files: Guard;
  /** The folders of skills. */
  readonly skills: GuardedFolders;
  /** The rows of tasks and memory. */
  rows: View;
  /** The files of the store and of the event log. */
  readonly store: StoreGuard;
  /** The imported task lists. */
  readonly lists: readonly ListText[];
  /** The files that later agents read on their own. */
  readonly agentFiles: AgentFiles;
  /** Where git's configuration leads a push. */
  readonly destinations: KeptSettings;
  stashes: readonly Stash[];
  /** Changes when another connection writes to the store. */
  version: number;
}

const maxNamedPaths = 10;

export type Guarding = Pick<
  Loop,
  "clock" | "db" | "folder" | "log" | "options" | "owner" | "root" | "runId" | "workspace"
>;

/** Takes the state before an agent, or code that it may have written, runs. The caller releases it with `releaseState`. */
export async function guardState(loop: Guarding, files: Guard): Promise<GuardedState> {
  // Before the view: a write between the two then costs a needless comparison, and none is missed.
  const version = await loop.db.dialect.changeStamp();
  const stashes = stashesOf(loop.workspace);
  const skills = guardTree(loop.workspace, skillFolders(loop.options.skills));
  const lists = await readLists(loop.db, loop.root);
  const agentFiles = watchAgentFiles(loop.workspace);
  const destinations = watchDestinations(loop.workspace, files);
  // A store that is damaged now is rebuilt from the log, and a log that is removed gets no events until it is back.
  await loop.log.flush();
  const store = await guardStore(loop);
  const rows = await loop.db.view();
  return { version, stashes, skills, lists, agentFiles, destinations, store, rows, files };
}

export async function releaseState(guarded: GuardedState): Promise<void> {
  guarded.store.release();
  await guarded.rows.close();
}

interface Restoring {
  /** The claim that this run holds; null: none. */
  readonly claim: Claim | null;
  /** True: the caller reads the tree's status next, so git begins as soon as it is safe. */
  readonly statusNext?: boolean;
  /** False: a task list in which more than checkboxes changed stays, as a hook may format it. */
  readonly wholeLists: boolean;
}

/**
 * Restores guarded files and rows that differ, the store's own file too, and returns a warning for each. Changes that users
 * and agents make through ralph stay. May be called repeatedly; it is cheap while no other process writes.
 */
export async function restoreState(
  loop: Guarding,
  guarded: GuardedState,
  { claim, wholeLists, statusNext = false }: Restoring,
): Promise<readonly string[]> {
  // First: it opens what an agent closed, and restores ralph's folder.
  await guarded.store.restore();
  await renewView(loop, guarded);
  const wasWritten = (await loop.db.dialect.changeStamp()) !== guarded.version;
  if (wasWritten && (await loop.db.dialect.findUnreadable(guarded.rows)) !== undefined) {
    await guarded.store.rebuild();
    await renewView(loop, guarded);
  }
  const storeWarnings = guarded.store.takeWarnings();
  const { keepIn } = asideFolder(loop);
  const folders = restoreFolders(loop);
  const files = await restoreGuardedFiles(loop.workspace, guarded.files, keepIn);
  const unfinished = await restoreUnfinished(loop.workspace, guarded.files, keepIn);
  const hidden = await restoreHidden(loop.workspace, guarded.files, keepIn);
  if (statusNext) prefetchStatus(loop.workspace);
  else dropStatusAhead(loop.workspace);
  const skills = restoreSkills(loop, guarded, keepIn);
  const version = await loop.db.dialect.changeStamp();
  const isSuspect = storeWarnings.length > 0 || version !== guarded.version;
  const rows = isSuspect ? await revertRows(loop, claim, guarded) : [];
  guarded.version = version;
  const place = { projectRoot: loop.root, keepIn: wholeLists ? keepIn : null };
  const ticks = await revertTicks(loop.db, place, guarded.lists);
  if (skills.length + ticks.length > 0) dropStatusAhead(loop.workspace);
  const stashes = await restoreStashes(loop.workspace, guarded.stashes);
  guarded.stashes = stashesOf(loop.workspace);
  return [
    ...folders.map((path) => `put back ${relative(loop.root, path)}: an agent may not change it`),
    ...storeWarnings,
    ...files.map((file) => restoredWarning(loop.root, file)),
    ...unfinished,
    ...hidden,
    ...skills,
    ...guarded.agentFiles.changes(),
    ...guarded.destinations.added(),
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
  ];
}

/** Replaces the view of a store that was rebuilt or put back: it may show what the agent left. */
async function renewView({ db }: Guarding, guarded: GuardedState): Promise<void> {
  if (!guarded.store.takeRenewed()) return;
  await guarded.rows.close();
  guarded.rows = await db.view();
}

function restoredWarning(root: string, { name, copy }: RestoredFile): string {
  const kept = copy === undefined ? "" : `; the changed version is in ${relative(root, copy)}`;
  return `put back ${name}: an agent may not change it${kept}`;
}

/** Restores the folders of skills: an agent that could edit them would instruct all later ones. */
function restoreSkills(
  { root, workspace }: Guarding,
  { skills }: GuardedState,
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
  claim: Claim | null,
  { rows }: GuardedState,
): Promise<readonly string[]> {
  const file = join(loop.folder, "events.jsonl");
  return commit(loop, async (tx) => {
    const now = loop.clock.now();
    const warnings = [...(await revertTampering(tx, { before: rows, file }, { runId: loop.runId, now }))];
    for (const one of await restoreProcessRows(tx, rows)) warnings.push(one);
    if (claim) await restoreClaim(tx, claim, { owner: loop.owner, runId: loop.runId }, now);
    // No other can be active beside this one; the next would be refused.
    return [...warnings, ...(await endPlantedRuns(tx, ({ id }) => id !== loop.runId, now))];
  });
}
