import picomatch from "picomatch";
import type { VerifyCommand } from "../../base/verify-command.ts";
import { type CannotRun, preflight } from "../../outcome/preflight.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { Loop, RunOptions } from "../rows/loop.ts";

/** By verification command: why it cannot be executed; null: no reason is visible. */
export type Preflight = ReadonlyMap<string, CannotRun | null>;

/** Returns the task's own commands, as they were before the iteration, or else the project's. */
export function verifyCommandsFor(
  loop: { readonly options: Pick<RunOptions, "verify"> },
  { task }: { readonly task: Task },
): readonly VerifyCommand[] {
  return task.verification.length > 0 ? task.verification : loop.options.verify;
}

/**
 * Returns the commands that verify a change of `files` (paths relative to the project): those without `when`, and those
 * whose globs match a file. A file that no command matches, or no file at all, makes all commands due, so that no change
 * is unverified because a glob did not expect it.
 */
export function dueCommands(
  commands: readonly VerifyCommand[],
  files: readonly string[],
): readonly VerifyCommand[] {
  if (commands.every(({ when }) => when === undefined)) return commands;
  const matches = commands.map(({ when }) => (when === undefined ? () => true : globMatcher(when)));
  const isExpected = (file: string): boolean => matches.some((match) => match(file));
  if (files.length === 0 || !files.every(isExpected)) return commands;
  return commands.filter((_, n) => files.some((file) => matches[n]?.(file)));
}

/** Checks that the commands' programs exist, without executing anything. */
export async function preflightAll(
  { root, env }: Pick<Loop, "root" | "env">,
  commands: readonly VerifyCommand[],
): Promise<Preflight> {
  const found = commands.map(async ({ run }) => [run, await preflight(run, { cwd: root, env })] as const);
  return new Map(await Promise.all(found));
}

/** Returns a test of whether a path with `/` matches one of `globs`; `*` and `**` also match names that begin with a dot. */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  return picomatch(globs, { dot: true });
}
