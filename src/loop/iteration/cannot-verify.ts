import type { VerifyCommand } from "../../base/verify-command.ts";
import { isCausedByWork } from "../../outcome/cannot-run.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { type CannotRun, preflight } from "../../outcome/preflight.ts";
import type { Loop } from "../loop.ts";
import type { Iteration } from "./begin-iteration.ts";
import type { Interruption } from "./interruption.ts";

/** By verification command, what it lacks to be executed at all; null: nothing that can be seen. */
export type Preflight = ReadonlyMap<string, CannotRun | null>;

/** Looks for what the commands need, without executing anything. */
export async function preflightAll(
  { root, env }: Pick<Loop, "root" | "env">,
  commands: readonly VerifyCommand[],
): Promise<Preflight> {
  const found = commands.map(async ({ run }) => [run, await preflight(run, { cwd: root, env })] as const);
  return new Map(await Promise.all(found));
}

interface Verified {
  readonly iteration: Pick<Iteration, "task">;
  readonly checks: readonly CheckResult[];
  /** Before the agent ran. */
  readonly before: Preflight;
  /** What the task changed, and what of it defines verification. */
  readonly files: readonly string[];
  readonly definitions: readonly string[];
}

/**
 * Returns the interruption of an iteration whose verification could not be executed for a reason that is not in the
 * task's own work (LOOP-21); undefined when it ran, or when the work is to blame.
 */
export async function environmentFault(
  loop: Pick<Loop, "root" | "env">,
  { iteration, checks, before, files, definitions }: Verified,
): Promise<Interruption | undefined> {
  const check = checks.find(({ cannotRun }) => cannotRun !== null);
  if (!check?.cannotRun) return undefined;
  const { command, cannotRun } = check;
  const after = await preflight(command, { cwd: loop.root, env: loop.env });
  const attempt = { cannotRun, before: before.get(command) ?? null, after, files, definitions };
  if (isCausedByWork(attempt)) return undefined;
  const { task } = iteration;
  const place =
    task.verification.length > 0 ? `ralph task edit ${task.id} --verify` : "verify in .ralph/config.yaml";
  return {
    kind: "cannot-verify",
    message: `${command}: ${cannotRun.missing}`,
    hint: `make \`${command}\` executable (${cannotRun.missing}) or correct it (${place}), then: ralph run`,
    resetAt: null,
  };
}
