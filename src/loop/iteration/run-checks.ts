import type { VerifyCommand } from "../../base/verify-command.ts";
import type { CheckResult, WorkDone } from "../../outcome/outcome.ts";
import { verify } from "../../outcome/verify.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { noteFiles } from "../../workspace/tree-fingerprint.ts";
import type { Iteration } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";
import { createTempFolder } from "../tree/temp-folder.ts";
import { noteExecuted } from "./cannot-verify.ts";

interface ChecksDue {
  readonly commands: readonly VerifyCommand[];
  readonly work: WorkDone;
  /** The changed files that weaken verification: `verifyGuard: clean` uses them as they were. */
  readonly weakened: readonly string[];
  /** The share of the attempt's time limit that the agent used up. */
  readonly agentMs: number;
}

interface Checked {
  readonly checks: readonly CheckResult[];
  /** Where the commands ran. */
  readonly place: Pick<Loop, "env" | "root" | "clean">;
  /** The files of the work, or HEAD, that are not as they were when the commands began; null: not compared, as one failed. */
  readonly rewritten: readonly string[] | null;
}

/**
 * Runs the commands, and compares the work with what it was before them: they run the agent's code, which could show the
 * checks other files than those that are kept.
 */
export async function runChecks(loop: Loop, iteration: Iteration, due: ChecksDue): Promise<Checked> {
  if (due.commands.length === 0) return { checks: [], place: loop, rewritten: null };
  const { finished } = iteration.state.baseline;
  const { workspace } = loop;
  // Verification may make its own files again.
  const byproducts = loop.byproducts.paths();
  const left = (finished?.paths ?? []).filter((path) => !byproducts.has(path));
  const files = new Set([...due.work.files, ...due.work.changedPaths, ...left]);
  const noted = loop.options.verifyGuard === "off" ? null : await noteFiles(workspace, [...files]);
  const before = await readHead(workspace);
  const checked = await runCommands(loop, iteration, { ...due, head: before.hash ?? "" });
  noteExecuted(loop, checked.checks);
  const passed = checked.checks.every((check) => check.passed);
  if (!passed || noted === null) return { ...checked, rewritten: null };
  const now = await readHead(workspace);
  // A commit may hold files that the work tree shows no difference to.
  const head = now.hash === before.hash && now.ref === before.ref ? [] : ["HEAD"];
  return { ...checked, rewritten: [...(await noted.changed()), ...head] };
}

/** Runs the commands; under `verifyGuard: clean` in a separate work tree. */
async function runCommands(
  loop: Loop,
  iteration: Iteration,
  { commands, work, weakened, agentMs, head }: ChecksDue & { readonly head: string },
): Promise<Omit<Checked, "rewritten">> {
  const publish = (
    type: "verification.started" | "verification.finished",
    data: Record<string, string | number | boolean>,
  ) => loop.log.publish({ type, runId: loop.runId, data: { taskId: iteration.taskId, ...data } });
  const { marker, tmpDir } = iteration;
  const { baseline } = iteration.state;
  createTempFolder(tmpDir);
  const { taskTimeoutMs } = loop.options.limits;
  const shown = {
    onStart: (command: string) => {
      loop.steps.keep(iteration.iterationId, `verifying ${command}`);
      publish("verification.started", { command });
    },
    onEnd: ({ command, passed, reason, durationMs }: CheckResult) =>
      publish("verification.finished", { command, passed, reason, durationMs }),
  };
  const asBefore = { from: baseline.head ?? head, paths: weakened };
  const content = { head, paths: [...work.changedPaths, ...(baseline.finished?.paths ?? [])], asBefore };
  const clean = await loop.clean?.prepare({ content, marker, tmpDir, ...shown });
  const { root, env } = clean ?? loop;
  const place = { root, env, clean: loop.clean };
  if (clean && clean.failedSetup.length > 0) return { checks: clean.failedSetup, place };
  const checks = await verify(commands, {
    cwd: root,
    env: { ...env, TMPDIR: tmpDir },
    marker,
    isolation: loop.isolation,
    sandbox: loop.sandbox,
    signal: loop.stop,
    repeat: true,
    // The agent and its verification share one limit.
    remainingMs: taskTimeoutMs > 0 ? Math.max(0, taskTimeoutMs - agentMs) : null,
    ...shown,
  });
  return { checks, place };
}
