import { messageOf, RalphError } from "../base/errors.ts";
import type { Completion } from "./finish-task.ts";

/** The source files that were ticked and those that could not be. */
export interface TickResult {
  readonly paths: readonly string[];
  /** Reasons why a file was not ticked; its task is done nevertheless. */
  readonly warnings: readonly string[];
}

/** Ticks finished tasks in the files that they were imported from (TASK-5). */
export async function tickSources(root: string, { completed }: Completion): Promise<TickResult> {
  const paths: string[] = [];
  const warnings: string[] = [];
  if (completed.every(({ source }) => source === null)) return { paths, warnings };
  const { tickSource } = await import("./write-back.ts");
  for (const task of completed) {
    try {
      const ticked = await tickSource(root, task);
      if (ticked?.changed) paths.push(ticked.path);
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      warnings.push(`not ticked in its source file: ${messageOf(error)}`);
    }
  }
  return { paths, warnings };
}
