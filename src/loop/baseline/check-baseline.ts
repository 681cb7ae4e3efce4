import { join } from "node:path";
import { record } from "../../events/outbox-store.ts";
import { extractError } from "../../outcome/extract-error.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { type InputChange, inputWarnings } from "../../outcome/verification-files.ts";
import { protectedPaths } from "../../workspace/baseline.ts";
import { position } from "../../workspace/status.ts";
import { noteIndex, type TreePart, treeFingerprint } from "../../workspace/tree-fingerprint.ts";
import { guardedCommands } from "../clean/guarded-commands.ts";
import { guardCode, reportRestored } from "../guard/guard-code.ts";
import { keepOpenInputs } from "../guard/open-inputs.ts";
import { noteExecuted } from "../iteration/cannot-verify.ts";
import { hasIterations } from "../iteration-store.ts";
import { commit, type Loop } from "../loop.ts";
import { clearTree } from "../tree/switch-tree-to-task.ts";
import { noteTestsRun } from "../tree/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../tree/workspace-state-store.ts";
import { verifyProject } from "../verify-project.ts";
import { hasPassed, recordPassed } from "./passed-tree-store.ts";
import { withoutTrackedChanges } from "./tracked-changes.ts";

type Checker = Pick<
  Loop,
  | "clean"
  | "clock"
  | "db"
  | "env"
  | "executed"
  | "folder"
  | "inputs"
  | "isolation"
  | "sandbox"
  | "log"
  | "options"
  | "owner"
  | "root"
  | "runId"
  | "stop"
  | "workspace"
>;

/** The maximum length of the error excerpt for display: about twelve lines. */
const headlineChars = 600;

interface BaselineRequest {
  /** True: verifies also a tree that passed before, as what is outside of it can have changed. */
  readonly again: boolean;
  /** Milliseconds until the run's deadline; null: it has none. */
  readonly remainingMs: number | null;
}

/**
 * Verifies the tree without any task's leftovers, which wait under their salvage refs meanwhile (LOOP-20). Returns the
 * command that fails; null: all pass, or the tree passed them before.
 */
export async function checkBaseline(
  loop: Checker,
  { again, remainingMs }: BaselineRequest,
): Promise<CheckResult | null> {
  const commands = loop.options.verify;
  if (!again && loop.clean === null) {
    const tree = await treeFingerprint(loop.workspace, await partWithoutLeftovers(loop));
    if (tree !== null && (await hasPassed(loop.db, { tree, commands }))) {
      for (const { run } of commands) loop.executed.add(run);
      return null;
    }
  }
  await clearTree(loop);
  const startedMs = loop.clock.monotonic();
  const names = commands.map(({ run }) => run);
  loop.log.publish({ type: "baseline.started", runId: loop.runId, data: { commands: names, again } });
  const { runId, stop: signal } = loop;
  const restored: string[] = [];
  const known = beginInputs(loop);
  const checks = await withoutTrackedChanges(loop, {
    verify: () => verifyBefore(loop, remainingMs, restored),
    onRestored: (warnings) => {
      for (const warning of warnings) restored.push(`${warning} (verification did)`);
    },
  });
  await reportRestored(loop, [...restored, ...(await changedInputs(loop, known))]);
  noteExecuted(loop, checks);
  const failed = checks.find(({ passed }) => !passed) ?? null;
  if (signal.aborted) return failed;
  const data = {
    passed: failed === null,
    again,
    command: failed?.command ?? null,
    reason: failed?.reason ?? null,
    errorExcerpt: failed?.excerpt ?? "",
    errorHeadline: failed ? extractError(failed.excerpt, headlineChars) : "",
    durationMs: Math.round(loop.clock.monotonic() - startedMs),
  };
  await commit(loop, async (tx) => {
    await record(tx, { type: "baseline.finished", runId, data }, loop.clock.now());
    if (failed === null) await writeWorkspaceState(tx, noteTestsRun(await readWorkspaceState(tx), checks));
  });
  return failed;
}

/** Notes what verification reads, and returns warnings about the changes that are known before it. */
function beginInputs({ inputs, options }: Checker): readonly string[] {
  if (options.verifyGuard === "off") return [];
  inputs.begin(guardedCommands(options, options.verify));
  return inputWarnings(inputs.changes(), []);
}

/**
 * Returns warnings about the changes to what verification reads. They stay changes, as those of an agent do (LOOP-18); only
 * before the first agent of a project nobody else wrote the code: then a first installation of packages is none.
 */
async function changedInputs(loop: Checker, known: readonly string[]): Promise<readonly string[]> {
  const { db, inputs, options } = loop;
  if (options.verifyGuard === "off") return [];
  const isNew = (warning: string): boolean => !known.includes(warning);
  const isNewInside = (one: InputChange): boolean => one.isInside && inputWarnings([one], []).every(isNew);
  if (inputs.changes().length === 0) return [];
  if (!(await hasIterations(db))) inputs.accept(isNewInside);
  await keepOpenInputs(loop);
  const warnings = inputWarnings(inputs.changes(), []).filter(isNew);
  return warnings.map((warning) => `${warning} (verification did)`);
}

/** Verifies where attempts are verified. A tree that passed outside of the project is not known to pass inside. */
async function verifyBefore(
  loop: Checker,
  remainingMs: number | null,
  restored: string[],
): Promise<readonly CheckResult[]> {
  const { runId, clean, stop: signal, workspace } = loop;
  const onRestored = (warnings: readonly string[]) => {
    for (const warning of warnings) restored.push(warning);
  };
  // Earlier tasks' agents wrote what the commands run.
  const around = <T>(run: () => Promise<T>) =>
    guardCode(loop, { claim: null, by: "verification", onRestored }, run);
  const request = { marker: runId, signal, remainingMs, runId, remember: clean === null, around };
  const { hash: head } = await position(workspace);
  if (clean === null || head === null) return verifyProject(loop, request);
  // The commands run elsewhere, so that nothing else compares what they stage here.
  const index = await noteIndex(workspace, head);
  const checks = await verifyClean({ ...loop, clean }, request, head);
  for (const one of (await index.restore()).map((warning) => `${warning} (verification did)`))
    restored.push(one);
  return checks;
}

/** Verifies in the separate work tree. */
async function verifyClean(
  loop: Checker & { readonly clean: NonNullable<Loop["clean"]> },
  request: Parameters<typeof verifyProject>[1],
  head: string,
): Promise<readonly CheckResult[]> {
  const { clean, runId } = loop;
  const { around } = request;
  const { finished } = await readWorkspaceState(loop.db);
  const content = { head, paths: finished, asBefore: { from: head, paths: [] } };
  const commands = loop.options.verify;
  const tmpDir = join(loop.folder, "tmp", runId);
  const place = await around(() => clean.prepare({ content, commands, marker: runId, tmpDir }));
  if (place.failedSetup.length > 0) return place.failedSetup;
  return verifyProject({ ...loop, root: place.root, env: place.env }, request);
}

/** Remembers the tree as the run leaves it, after the last task that was done passed the project's verification. */
export async function rememberVerifiedTree(loop: Checker): Promise<void> {
  const commands = loop.options.verify;
  if (loop.clean !== null) return;
  const tree = await treeFingerprint(loop.workspace, await partWithoutLeftovers(loop));
  if (tree === null || (await hasPassed(loop.db, { tree, commands }))) return;
  await commit(loop, (tx) => recordPassed(tx, { tree, commands, runId: loop.runId }, loop.clock.now()));
}

/** Returns what the tree holds without the changes of a task's unfinished attempt. */
async function partWithoutLeftovers(loop: Checker): Promise<TreePart> {
  const state = await readWorkspaceState(loop.db);
  if (state.kind === "free") return { commit: (await position(loop.workspace)).hash, paths: null };
  const { baseline } = state;
  return { commit: baseline.head, paths: new Set(protectedPaths(baseline)) };
}
