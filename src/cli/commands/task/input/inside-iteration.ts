import { RalphError } from "../../../../base/errors.ts";
import { readEnv } from "../../../../config/environment.ts";

/** Returns the task of the agent that typed this command; undefined for a person. */
export function iterationTask(): string | undefined {
  return readEnv("RALPH_TASK_ID") || undefined;
}

/**
 * Rejects a command that an agent may not use. An agent may add tasks and claim its own as done or failed, but not change
 * what counts as done, nor other tasks.
 *
 * @throws RalphError `RALPH_TASK_INSIDE_ITERATION`
 */
export function refuseInsideIteration(command: string): void {
  const task = iterationTask();
  if (task === undefined) return;
  throw new RalphError(
    "RALPH_TASK_INSIDE_ITERATION",
    `\`ralph task ${command}\` is not available to the agent working on ${task}`,
    {
      hint: "propose smaller tasks with a <subtasks> checklist in your final message, or add one with `ralph task add`",
    },
  );
}
