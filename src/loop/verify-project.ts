import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { makeFolders } from "../base/careful-files.ts";
import { newId } from "../base/ids.ts";
import { restoreProcessRows } from "../events/process-rows.ts";
import { revertTampering } from "../events/revert-tampering.ts";
import type { CheckResult } from "../outcome/outcome.ts";
import { verify } from "../outcome/verify.ts";
import type { View } from "../store/db.ts";
import { removeFolder } from "../workspace/clean-tree.ts";
import { type Guard, guard, plantedSince, restoreAfterCrash, restoreHidden } from "../workspace/guard.ts";
import { type HeadPosition, position } from "../workspace/status.ts";
import { noteIndex, treeFingerprint } from "../workspace/tree-fingerprint.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { forgetPassed, hasPassed, recordPassed } from "./baseline/passed-tree-store.ts";
import { asideFolder, restoreFolders } from "./guard/aside-folder.ts";
import { noteCommand } from "./guard/guard-code.ts";
import { guardStore } from "./guard/guard-store.ts";
import { destinationSentences } from "./guard/kept-settings.ts";
import { rowsOfOtherRun } from "./guard/own-rows.ts";
import { commit, type LoopSetup } from "./loop.ts";
import { endPlantedRuns, openRuns } from "./run-store.ts";

type Verifier = Pick<
  LoopSetup,
  "clock" | "db" | "env" | "folder" | "isolation" | "log" | "root" | "sandbox" | "workspace"
> & { readonly options: Pick<LoopSetup["options"], "verify"> };

interface VerifyRequest {
  /** By which the processes that a command leaves running are found and killed. */
  readonly marker: string;
  readonly signal: AbortSignal;
  /** Milliseconds for all commands together; null: each has only its own limit. */
  readonly remainingMs: number | null;
  /** The run that verifies; null: none. */
  readonly runId: string | null;
  /** False: the result is not remembered. */
  readonly remember: boolean;
  /** Around the commands, which run code that an agent may have written. */
  readonly around: <T>(run: () => Promise<T>) => Promise<T>;
  readonly onStart?: (command: string) => void;
  readonly onEnd?: (result: CheckResult) => void;
}

/** Returns the fingerprint of the tree as it is; null: the repository has no commit. */
export async function currentTree({ workspace }: Pick<Verifier, "workspace">): Promise<string | null> {
  const { hash } = await position(workspace);
  return await treeFingerprint(workspace, { commit: hash, paths: null });
}

/** Returns true if this tree passed the project's verification before. */
export async function passedBefore(
  { db, options }: Pick<Verifier, "db" | "options">,
  tree: string,
): Promise<boolean> {
  return await hasPassed(db, { tree, commands: options.verify });
}

/**
 * Runs the project's verification on the tree as it is, until one command fails. Remembers a tree that passes, and
 * forgets one that passed before and fails now (LOOP-20). Returns the results of the commands that ran.
 */
export async function verifyProject(loop: Verifier, request: VerifyRequest): Promise<readonly CheckResult[]> {
  const { marker, signal, remainingMs, runId, remember, around, onStart, onEnd } = request;
  const commands = loop.options.verify;
  // Before: the commands can write files.
  const tree = remember ? await currentTree(loop) : null;
  const tmpDir = join(loop.folder, "tmp", marker);
  const restoreTmp = () => restoreFolders({ folder: loop.folder, runId: marker }, ["tmp"]);
  restoreTmp();
  makeFolders(tmpDir);
  try {
    const options = {
      ...{ cwd: loop.root, env: { ...loop.env, TMPDIR: tmpDir }, marker },
      ...{ isolation: loop.isolation, sandbox: loop.sandbox },
      ...{ signal, remainingMs },
      ...(onStart ? { onStart } : {}),
      ...(onEnd ? { onEnd } : {}),
    };
    const checks = await around(() => verify(commands, options));
    const passed = commands.length > 0 && checks.every((check) => check.passed);
    if (tree !== null && (passed || !signal.aborted)) {
      const write = passed ? recordPassed : forgetPassed;
      await commit(loop, (tx) => write(tx, { tree, commands, runId }, loop.clock.now()));
    }
    return checks;
  } finally {
    restoreTmp();
    await removeFolder(loop.workspace, tmpDir);
  }
}

type Stored = Pick<LoopSetup, "clock" | "db" | "log"> & {
  /** The marker of the command's processes. */
  readonly marker: string;
};

interface Surroundings {
  readonly workspace: Workspace;
  /** Null: rows are not guarded. */
  readonly stored: Stored | null;
  /** Staged entries are put back too (`verifyGuard: clean`); absent: they stay. */
  readonly guardsIndex?: boolean;
  /** Returns true while a run works in this project: it restores what it guards itself. */
  readonly isRunActive: () => Promise<boolean>;
  /** Called with a sentence for each change, before the call ends. */
  readonly onChanged: (warnings: readonly string[]) => void;
}

/**
 * Runs the project's verification for a command, while the person may work in another terminal. Restores afterwards what git
 * would execute and what hides changes from it, and rows that ralph did not record. Everything else that the code or the person
 * changed stays; guarded files among it, and HEAD, are named. During a run, changes are named only.
 */
export async function guardCommand<T>(around: Surroundings, run: () => Promise<T>): Promise<T> {
  const { stored, workspace, onChanged } = around;
  if (await around.isRunActive()) {
    const before = await guard(workspace);
    const ended = await run();
    onChanged(changedWarnings(plantedSince(workspace, before)));
    return ended;
  }
  const before = await guard(workspace);
  const at = await position(workspace);
  const index = around.guardsIndex && at.hash !== null ? await noteIndex(workspace, at.hash) : null;
  const rows = stored && (await guardRows(stored, workspace));
  try {
    return await run();
  } finally {
    try {
      const isActive = await around.isRunActive();
      // First: from here on rows are read.
      if (!isActive) onChanged((await rows?.restoreFile()) ?? []);
      const files = isActive
        ? changedWarnings(plantedSince(workspace, before))
        : [...(await restoreFiles(workspace, before)), ...movedWarnings(at, await position(workspace))];
      onChanged(files);
      const staged = isActive ? [] : ((await index?.restore()) ?? []);
      onChanged(staged.map((warning) => `${warning} (changed during the verification)`));
      if (!isActive) onChanged((await rows?.restoreRows()) ?? []);
    } finally {
      await rows?.release();
    }
  }
}

interface RowGuard {
  /** Restores the store's file. Returns a warning for each restoration, as `restoreRows`. */
  restoreFile(): Promise<readonly string[]>;
  restoreRows(): Promise<readonly string[]>;
  release(): Promise<void>;
}

async function guardRows(stored: Stored, workspace: Workspace): Promise<RowGuard> {
  const { clock, db, log } = stored;
  const { root } = workspace;
  const place = { clock, db, log, root, workspace, folder: join(root, ".ralph"), runId: newId("verify", 5) };
  const store = await guardStore(place);
  const version = await db.dialect.changeStamp();
  let rows = await db.view();
  const held = log.head.holder()?.runId;
  const endWork = await noteCommand(stored, rows);
  return {
    restoreFile: async () => {
      await store.restore();
      if (store.takeRenewed()) {
        await rows.close();
        rows = await db.view();
      }
      return store.takeWarnings().map((warning) => `${warning} (during the verification)`);
    },
    restoreRows: async () => {
      if (version === (await db.dialect.changeStamp())) return [];
      return await revertRows(stored, { rows, held }, workspace);
    },
    release: async () => {
      endWork();
      store.release();
      await rows.close();
    },
  };
}

async function restoreFiles(workspace: Workspace, before: Guard): Promise<readonly string[]> {
  const isChanged = plantedSince(workspace, before).length > 0;
  const place = { folder: join(workspace.root, ".ralph"), runId: newId("verify", 5) };
  const { keepIn: folder } = asideFolder(place);
  const names = isChanged ? await restoreAfterCrash(workspace, before, folder) : [];
  if (names.length === 0) rmSync(folder, { recursive: true, force: true });
  const hidden = await restoreHidden(workspace, before, folder);
  const kept = `its other version is in ${relative(workspace.root, folder)}`;
  // A setting that starts no program, such as `user.name`, is nobody's concern.
  const stays = plantedSince(workspace, before).filter(
    (name) => !/(?:^|\/)config(?:\.worktree)?$/.test(name),
  );
  return [
    ...names.map((name) => `put back ${name}, which changed during the verification; ${kept}`),
    ...hidden.map((warning) => `${warning} (changed during the verification)`),
    ...changedWarnings(stays),
    ...destinationSentences(workspace, before).map(
      (sentence) => `${sentence} (added during the verification)`,
    ),
  ];
}

function changedWarnings(names: readonly string[]): readonly string[] {
  return names.map(
    (name) => `${name} changed during the verification and stays: review it, unless you changed it yourself`,
  );
}

/** Says where HEAD was: a commit that is gone from the branch may be a task's that counts as done. */
function movedWarnings(before: HeadPosition, now: HeadPosition): readonly string[] {
  if (before.hash === null || (before.hash === now.hash && before.ref === now.ref)) return [];
  const named = ({ hash, ref }: HeadPosition): string =>
    `${ref?.replace("refs/heads/", "") ?? "a detached HEAD"} at ${hash?.slice(0, 12) ?? "no commit"}`;
  const from = named(before);
  return [
    `HEAD moved from ${from} to ${named(now)} during the verification and stays: look at git reflog, unless you moved it yourself`,
  ];
}

async function revertRows(
  { db, log, clock }: Omit<Stored, "marker">,
  { rows: before, held }: { readonly rows: View; readonly held: string | undefined },
  { root }: Workspace,
): Promise<readonly string[]> {
  const file = join(root, ".ralph", "events.jsonl");
  const key = log.head.restoreKey() ? ["put back the project's key: it changed during the verification"] : [];
  const known = new Set((await openRuns(before)).map(({ id }) => id));
  // A run that began and ended, or was refused, meanwhile has no open row.
  const holder = log.head.holder()?.runId;
  return commit({ db, log }, async (tx) => {
    const now = clock.now();
    const warnings = [...(await revertTampering(tx, { before, file }, { runId: null, now }))];
    const isOwn = holder === held ? undefined : rowsOfOtherRun(tx.seal);
    for (const one of await restoreProcessRows(tx, before, isOwn)) warnings.push(one);
    const planted = await endPlantedRuns(tx, ({ id }) => id !== holder && !known.has(id), now);
    return [...key, ...warnings.map((warning) => `${warning} (during the verification)`), ...planted];
  });
}
