import { isCausedByWork } from "../../outcome/cannot-run.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { type CannotRun, preflight } from "../../outcome/preflight.ts";
import type { Loop } from "../loop.ts";
import type { Iteration } from "./begin-iteration.ts";
import type { Interruption } from "./interruption.ts";
import type { Preflight } from "./verify-commands.ts";

interface Verified {
  readonly iteration: Pick<Iteration, "task">;
  readonly checks: readonly CheckResult[];
  /** Before the agent ran. */
  readonly before: Preflight;
  /** The files that the task changed. */
  readonly files: readonly string[];
  /** Those of them that define verification. */
  readonly definitions: readonly string[];
}

/**
 * Returns the interruption of an iteration whose verification could not be executed for a reason outside the task's own
 * work (LOOP-21); undefined when it was executed, or when the work is the cause.
 */
export async function environmentFault(
  loop: Pick<Loop, "root" | "env" | "clean" | "executed">,
  { iteration, checks, before, files, definitions }: Verified,
): Promise<Interruption | undefined> {
  const check = checks.find(({ cannotRun }) => cannotRun !== null);
  if (!check?.cannotRun) return undefined;
  const { command, cannotRun } = check;
  const after = await preflight(command, { cwd: loop.root, env: loop.env });
  const ranBefore = loop.executed.has(command);
  const attempt = { cannotRun, ranBefore, before: before.get(command) ?? null, after, files, definitions };
  if (isCausedByWork(attempt)) return undefined;
  const { task } = iteration;
  const ofProject = projectVerification(loop);
  const place =
    task.verification.length > 0 && !loop.clean ? `ralph task edit ${task.id} --verify` : ofProject;
  return { kind: "cannot-verify", ...describeCannotRun({ command, cannotRun }, place), resetAt: null };
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

/** Describes a command that cannot be executed; `place`: where to correct it. */
export function describeCannotRun(
  { command, cannotRun }: { readonly command: string; readonly cannotRun: CannotRun },
  place: string,
): { readonly message: string; readonly hint: string } {
  return {
    message: `${command}: ${cannotRun.missing}`,
    hint: `make \`${command}\` executable (${cannotRun.missing}) or correct it (${place}), then: ralph run`,
  };
}
