import type { VerifyCommand } from "../../base/verify-command.ts";
import { type CannotRun, preflight } from "../../outcome/preflight.ts";
import type { Task } from "../../tasks/task.ts";
import type { Loop, RunOptions } from "../loop.ts";

/** By verification command: why it cannot be executed; null: no reason is visible. */
export type Preflight = ReadonlyMap<string, CannotRun | null>;

/** Returns the task's own commands, as they were before the iteration, or else the project's. */
export function verifyCommandsFor(
  loop: { readonly options: Pick<RunOptions, "verify"> },
  { task }: { readonly task: Task },
): readonly VerifyCommand[] {
  return task.verification.length > 0 ? task.verification : loop.options.verify;
}

/** Checks that the commands' programs exist, without executing anything. */
export async function preflightAll(
  { root, env }: Pick<Loop, "root" | "env">,
  commands: readonly VerifyCommand[],
): Promise<Preflight> {
  const found = commands.map(async ({ run }) => [run, await preflight(run, { cwd: root, env })] as const);
  return new Map(await Promise.all(found));
}
