import { messageOf, RalphError } from "../base/errors.ts";
import type { Task } from "./graph/task.ts";
import type { Completion } from "./graph/task-transitions.ts";

/** The source files that were ticked or unticked and those that could not be. */
export interface TickResult {
  readonly paths: readonly string[];
  /** Reasons why a file was not changed; the status of its task has changed nevertheless. */
  readonly warnings: readonly string[];
}

/** Ticks finished tasks in the files that they were imported from (TASK-5). */
export async function tickSources(root: string, { completed }: Completion): Promise<TickResult> {
  return setTicks(root, completed, "tick");
}

/** Unticks reopened tasks, because the next comparison would finish them again (TASK-10). */
export async function untickSources(root: string, reopened: readonly Task[]): Promise<TickResult> {
  return setTicks(root, reopened, "untick");
}

async function setTicks(
  root: string,
  tasks: readonly Task[],
  change: "tick" | "untick",
): Promise<TickResult> {
  const paths: string[] = [];
  const warnings: string[] = [];
  if (tasks.every(({ source }) => source === null)) return { paths, warnings };
  const { tickSource, untickSource } = await import("./write-back.ts");
  const set = change === "tick" ? tickSource : untickSource;
  for (const task of tasks) {
    try {
      const ticked = await set(root, task);
      if (ticked?.changed) paths.push(ticked.path);
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      warnings.push(`not ${change}ed in its source file: ${messageOf(error)}`);
    }
  }
  return { paths: [...new Set(paths)], warnings };
}
