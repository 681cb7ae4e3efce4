import { join } from "node:path";
import { count } from "../../base/text.ts";
import { record } from "../../events/event-store.ts";
import { extractError } from "../../outcome/extract-error.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { flakyWarnings } from "../../outcome/verify.ts";
import { protectedPaths } from "../../workspace/baseline.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { type TreePart, treeFingerprint } from "../../workspace/tree-fingerprint.ts";
import { noteExecuted } from "../iteration/cannot-verify.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { hasPassed, recordPassed } from "../rows/passed-tree-store.ts";
import { fewerRan, type TestsRun, withTestsRun } from "../rows/tests-run.ts";
import { verifyProject } from "../rows/verify-project.ts";
import { noteTestsRun } from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { changedMeanwhile } from "../tree/changed-meanwhile.ts";
import { clearTree } from "../tree/salvage-work.ts";

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
  loop: Loop,
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
  const during = await changedMeanwhile(loop.workspace, () =>
    verifyBefore(loop, withinTask(loop, remainingMs)),
  );
  const { result: checks, tracked, untracked, warnings } = during;
  // A task may change what verification wrote.
  loop.byproducts.add(tracked);
  for (const path of untracked) loop.byproducts.written.add(path);
  noteExecuted(loop, checks);
  const failed = checks.find(({ passed }) => !passed) ?? null;
  if (signal.aborted) return failed;
  const data = {
    passed: failed === null,
    again,
    command: failed?.command ?? null,
    reason: failed?.reason ?? null,
    flaky: flakyWarnings(checks),
    errorExcerpt: failed?.excerpt ?? "",
    errorHeadline: failed ? extractError(failed.excerpt, headlineChars) : "",
    durationMs: Math.round(loop.clock.monotonic() - startedMs),
    warnings,
  };
  await commit(loop, async (tx) => {
    await record(tx, { type: "baseline.finished", runId, data }, loop.clock.now());
    if (failed === null)
      await writeWorkspaceState(
        tx,
        loop.workspace,
        noteTestsRun(await readWorkspaceState(tx, loop.workspace), checks),
      );
  });
  return failed;
}

/** Returns how long all commands may take: no longer than an attempt that they verify (`--task-timeout`). */
function withinTask({ options }: Pick<Loop, "options">, remainingMs: number | null): number | null {
  const { taskTimeoutMs } = options.limits;
  if (taskTimeoutMs <= 0) return remainingMs;
  return remainingMs === null ? taskTimeoutMs : Math.min(remainingMs, taskTimeoutMs);
}

/** Remembers the tree as the run leaves it, after the last task that was done passed the project's verification. */
export async function rememberVerifiedTree(loop: Loop): Promise<void> {
  const commands = loop.options.verify;
  if (loop.clean !== null) return;
  const tree = await treeFingerprint(loop.workspace, await partWithoutLeftovers(loop));
  if (tree === null || (await hasPassed(loop.db, { tree, commands }))) return;
  await commit(loop, (tx) => recordPassed(tx, { tree, commands }, loop.clock.now()));
}

/** Returns what the tree holds without the changes of a task's unfinished attempt. */
async function partWithoutLeftovers(loop: Loop): Promise<TreePart> {
  const state = await readWorkspaceState(loop.db, loop.workspace);
  if (state.kind === "free") return { commit: (await readHead(loop.workspace)).hash, paths: null };
  const { baseline } = state;
  return { commit: baseline.head, paths: new Set(protectedPaths(baseline)) };
}

type Request = Parameters<typeof verifyProject>[1];

/** Verifies where attempts are verified. A tree that passed outside of the project is not known to pass inside. */
async function verifyBefore(loop: Loop, remainingMs: number | null): Promise<readonly CheckResult[]> {
  const { runId, clean, stop: signal, workspace } = loop;
  const request = { marker: runId, signal, remainingMs, remember: clean === null };
  const { hash: head } = await readHead(workspace);
  if (clean === null || head === null) return verifyProject(loop, request);
  return verifyClean({ ...loop, clean }, request, head);
}

/** Verifies in the separate work tree. A command that runs fewer tests there than in the project does not pass: it judges less. */
async function verifyClean(
  loop: Loop & { readonly clean: NonNullable<Loop["clean"]> },
  request: Request,
  head: string,
): Promise<readonly CheckResult[]> {
  const { clean, runId } = loop;
  const { finished, testsRun } = await readWorkspaceState(loop.db, loop.workspace);
  const content = { head, paths: finished, asBefore: { from: head, paths: [] } };
  const tmpDir = join(loop.folder, "tmp", runId);
  const place = await clean.prepare({ content, marker: runId, tmpDir });
  if (place.failedSetup.length > 0) return place.failedSetup;
  const checks = await verifyProject({ ...loop, root: place.root, env: place.env }, request);
  if (checks.some(({ passed }) => !passed) || !inDoubt(checks, testsRun)) return checks;
  const inProject = withTestsRun(await verifyProject(loop, request), {});
  return checks.map((check) => lessThan(inProject, check));
}

/** Returns true where only a look at the project says whether these are all of its tests: they are not known, or were more. */
function inDoubt(checks: readonly CheckResult[], before: TestsRun): boolean {
  const isNew = ({ command, testsRun }: CheckResult): boolean =>
    testsRun !== undefined && !Object.hasOwn(before, command);
  return checks.some(isNew) || fewerRan(checks, before).length > 0;
}

function lessThan(inProject: TestsRun, check: CheckResult): CheckResult {
  const there = inProject[check.command] ?? 0;
  if (fewerRan([check], inProject).length === 0) return check;
  const here =
    check.testsRun === undefined
      ? "does not say how many tests it ran"
      : `ran ${count(check.testsRun, "test")}`;
  const reason = `${here} in the separate tree of verifyGuard: clean, ${there} in the project: files that git ignores or does not track are not there (commit them, or make them in verifySetup)`;
  return { ...check, passed: false, reason };
}
