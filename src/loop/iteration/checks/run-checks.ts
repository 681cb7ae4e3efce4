import type { VerifyCommand, VerifyGuard } from "../../../base/verify-command.ts";
import type { CheckResult, WorkDone } from "../../../outcome/outcome.ts";
import { verify } from "../../../outcome/verify.ts";
import { position } from "../../../workspace/status.ts";
import { noteFiles, noteIndex } from "../../../workspace/tree-fingerprint.ts";
import type { UndoneChange } from "../../clean/separate-tree.ts";
import type { Loop } from "../../loop.ts";
import { createTempFolder } from "../../run/temp-folder.ts";
import type { Iteration } from "../begin-iteration.ts";
import { noteExecuted } from "../cannot-verify.ts";

interface ChecksDue {
  readonly commands: readonly VerifyCommand[];
  readonly work: WorkDone;
  /** The changed files that define verification. */
  readonly definitions: readonly string[];
  /** The share of the attempt's time limit that the agent used up. */
  readonly agentMs: number;
  /** Restores what is guarded, and returns a warning for each. */
  restore(): Promise<readonly string[]>;
}

/** The changes by commands to what verification reads. */
export interface ChangesByVerification {
  readonly warnings: readonly string[];
  /** Those for which the attempt fails. */
  readonly failing: readonly string[];
}

interface Checked {
  readonly checks: readonly CheckResult[];
  /** Where the commands ran. */
  readonly place: Pick<Loop, "env" | "root" | "clean">;
  /** The changes before the last command started. */
  readonly between: ChangesByVerification;
  /** The files of the work, or HEAD, that are not as they were when the commands began; null: not compared, as one failed. */
  readonly rewritten: readonly string[] | null;
  /**
   * Under `verifyGuard: clean`, where the project's tree is not compared: puts back what the commands staged in its index, and
   * returns a warning for each. Must run after what is guarded was restored.
   */
  restoreIndex(): Promise<readonly string[]>;
}

/**
 * Runs the commands, and compares the work with what it was before them: they run the agent's code, which could show the
 * checks other files than those that are kept.
 */
export async function runChecks(loop: Loop, iteration: Iteration, due: ChecksDue): Promise<Checked> {
  const none = { warnings: [], failing: [] };
  if (due.commands.length === 0)
    return { checks: [], place: loop, between: none, rewritten: null, restoreIndex: async () => [] };
  const { finished } = iteration.state.baseline;
  const { workspace } = loop;
  // Verification may make its own files again.
  const made = loop.made.paths();
  const left = (finished?.paths ?? []).filter((path) => !made.has(path));
  const files = new Set([...due.work.files, ...due.work.changedPaths, ...left]);
  const noted = loop.options.verifyGuard === "off" ? null : await noteFiles(workspace, [...files]);
  const before = await position(workspace);
  const index = loop.clean && before.hash !== null ? await noteIndex(workspace, before.hash) : null;
  const restoreIndex = async (): Promise<readonly string[]> => (await index?.restore()) ?? [];
  const commands = await runCommands(loop, iteration, { ...due, head: before.hash ?? "" });
  const checked = { ...commands, restoreIndex };
  noteExecuted(loop, checked.checks);
  const passed = checked.checks.every((check) => check.passed);
  if (!passed || noted === null) return { ...checked, rewritten: null };
  const now = await position(workspace);
  // A commit may hold files that the work tree shows no difference to.
  const head = now.hash === before.hash && now.ref === before.ref ? [] : ["HEAD"];
  return { ...checked, rewritten: [...(await noted.changed()), ...head] };
}

/**
 * Runs the commands; under `verifyGuard: clean` in a separate work tree. Before each but the first, restores what is guarded
 * and looks for changes to what it reads (LOOP-18): earlier commands ran the agent's code, which could undo them afterwards.
 */
async function runCommands(
  loop: Loop,
  iteration: Iteration,
  { commands, work, definitions, agentMs, restore, head }: ChecksDue & { readonly head: string },
): Promise<Omit<Checked, "restoreIndex" | "rewritten">> {
  const warnings: string[] = [];
  const failing: string[] = [];
  const between = { warnings, failing };
  const publish = (
    type: "verification.started" | "verification.finished",
    data: Record<string, string | number | boolean>,
  ) => loop.log.publish({ type, runId: loop.runId, data: { taskId: iteration.taskId, ...data } });
  const { marker, tmpDir } = iteration;
  const { baseline } = iteration.state;
  createTempFolder(tmpDir);
  const { taskTimeoutMs } = loop.options.limits;
  const shown = {
    onStart: (command: string) => publish("verification.started", { command }),
    onEnd: ({ command, passed, reason, durationMs }: CheckResult) =>
      publish("verification.finished", { command, passed, reason, durationMs }),
  };
  const asBefore = { from: baseline.head ?? head, paths: definitions };
  const content = { head, paths: [...work.changedPaths, ...(baseline.finished?.paths ?? [])], asBefore };
  const clean = await loop.clean?.prepare({ content, commands, marker, tmpDir, ...shown });
  const { root, env } = clean ?? loop;
  const place = { root, env, clean: loop.clean };
  if (clean && clean.failedSetup.length > 0) return { checks: clean.failedSetup, place, between };
  const { verifyGuard } = loop.options;
  const checks = await verify(commands, {
    cwd: root,
    env: { ...env, TMPDIR: tmpDir },
    marker,
    isolation: loop.isolation,
    sandbox: loop.sandbox,
    signal: loop.stop,
    // The agent and its verification share one limit.
    remainingMs: taskTimeoutMs > 0 ? Math.max(0, taskTimeoutMs - agentMs) : null,
    ...shown,
    beforeNext: async () => {
      for (const one of await restore()) warnings.push(one);
      if (verifyGuard === "off") return;
      const changes = clean ? await clean.undoChanges() : loop.inputs.recent();
      const found = changesBetween(verifyGuard, changes);
      for (const one of found.warnings) warnings.push(one);
      for (const one of found.failing) failing.push(one);
    },
  });
  return { checks, place, between };
}

function changesBetween(level: VerifyGuard, changes: readonly UndoneChange[]): ChangesByVerification {
  const described = changes.map((change) => ({
    ...change,
    text: `${change.name} was ${change.how}: ${change.why}`,
  }));
  // In the separate tree a command may install programs for later ones, and what git tracks is put back.
  const isLost = ({ isInside, how, isUndone }: UndoneChange): boolean =>
    !isInside || (how !== "added" && !isUndone);
  return {
    warnings: described.map(({ text, isUndone }) => (isUndone ? `${text}; put back` : text)),
    failing: described
      .filter((one) => level === "strict" || (level === "clean" && isLost(one)))
      .map(({ text }) => text),
  };
}
