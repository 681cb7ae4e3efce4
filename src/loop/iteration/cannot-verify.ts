import { isCausedByWork } from "../../outcome/cannot-run.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { type CannotRun, preflight } from "../../outcome/preflight.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { Interruption } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";
import type { Preflight } from "./verify-commands.ts";

interface Verified {
  readonly task: Task;
  readonly checks: readonly CheckResult[];
  /** Where the commands ran. */
  readonly place: Pick<Loop, "root" | "env">;
  /** In the project, before the agent ran. */
  readonly before: Preflight;
  /** The files that the task changed. */
  readonly files: readonly string[];
  /** Those of them that define verification. */
  readonly definitions: readonly string[];
}

/**
 * Returns the interruption of an iteration whose verification could not be executed for a reason outside the task's own
 * work (LOOP-21); undefined when it was executed, or when the work is the cause. A command of the project ends the run, one
 * that only the task has blocks the task.
 */
export async function environmentFault(
  loop: Pick<Loop, "root" | "env" | "clean" | "executed" | "missing" | "options">,
  { task, checks, place, before, files, definitions }: Verified,
): Promise<Interruption | undefined> {
  const check = checks.find(({ cannotRun }) => cannotRun !== null);
  if (!check?.cannotRun) return undefined;
  const { command, cannotRun } = check;
  const after = await preflight(command, { cwd: place.root, env: place.env });
  const ranBefore = loop.executed.has(command);
  const inProject = await changeInProject(loop, { command, before, after });
  if (isCausedByWork({ cannotRun, ranBefore, ...inProject, after, files, definitions })) return undefined;
  if (isOnlyOf(task, loop, command)) {
    if (after) loop.missing.add(after.missing);
    return blockedBy(loop, { command, cannotRun }, task);
  }
  const described = describeCannotRun({ command, cannotRun }, projectVerification(loop));
  return { kind: "cannot-verify", ...described, resetAt: null };
}

interface PreflightPair {
  readonly command: string;
  readonly before: Preflight;
  readonly after: CannotRun | null;
}

/**
 * Returns what `preflight` found before the agent, to compare with `after`. The separate tree lacks what git ignores: there
 * `before` is that of the project only if the agent changed what the project has.
 */
async function changeInProject(
  { root, env, clean }: Pick<Loop, "root" | "env" | "clean">,
  { command, before, after }: PreflightPair,
): Promise<{ readonly before: CannotRun | null }> {
  const found = before.get(command) ?? null;
  if (!clean) return { before: found };
  const now = await preflight(command, { cwd: root, env });
  return { before: now?.missing === found?.missing ? after : found };
}

/**
 * Returns the interruption of an iteration before its agent is called: its task's own command lacks what another task's
 * lacked in this run. Undefined: there is no such command, or the task may begin although verification fails.
 */
export function knownFault(
  loop: Pick<Loop, "clean" | "missing" | "options">,
  task: Task,
  before: Preflight,
): Interruption | undefined {
  if (task.allowRed) return undefined;
  for (const [command, cannotRun] of before) {
    if (cannotRun && loop.missing.has(cannotRun.missing) && isOnlyOf(task, loop, command))
      return blockedBy(loop, { command, cannotRun }, task);
  }
  return undefined;
}

/** Returns true for a command of the task that the project's configuration does not have. */
function isOnlyOf({ verification }: Task, { options }: Pick<Loop, "options">, command: string): boolean {
  const has = ({ run }: { readonly run: string }): boolean => run === command;
  return verification.some(has) && ![...options.verify, ...options.verifySetup].some(has);
}

function blockedBy(loop: Pick<Loop, "clean">, failed: Unexecuted, { id }: Task): Interruption {
  const edit = `ralph task edit ${id} --verify`;
  const place = loop.clean ? `${edit}; ${projectVerification(loop)}` : edit;
  const described = describeCannotRun(failed, place, `ralph task retry ${id}`);
  return { kind: "cannot-verify", ...described, resetAt: null, blocksTask: true };
}

/** Remembers the commands that were executed, whatever they returned. */
export function noteExecuted({ executed }: Pick<Loop, "executed">, checks: readonly CheckResult[]): void {
  for (const { command, cannotRun } of checks) if (cannotRun === null) executed.add(command);
}

/** Returns where the project's verification is configured, for hints. */
export function projectVerification({ clean }: Pick<Loop, "clean">): string {
  return clean
    ? "verifySetup in .ralph/config.yaml prepares the separate work tree: `verifySetup: [npm ci]`, for example"
    : "verify in .ralph/config.yaml";
}

interface Unexecuted {
  readonly command: string;
  readonly cannotRun: CannotRun;
}

/** Describes a command that cannot be executed; `place`: where to correct it; `next`: the command to continue with. */
export function describeCannotRun(
  { command, cannotRun }: Unexecuted,
  place: string,
  next = "ralph run",
): { readonly message: string; readonly hint: string } {
  return {
    message: `${command}: ${cannotRun.missing}`,
    hint: `make \`${command}\` executable (${cannotRun.missing}) or correct it (${place}), then: ${next}`,
  };
}
