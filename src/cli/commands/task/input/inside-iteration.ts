import { RalphError } from "../../../../base/errors.ts";
import { readEnv } from "../../../../config/environment.ts";

/** The task that this command's own agent works on, when an agent typed it. */
export function iterationTask(): string | undefined {
  return readEnv("RALPH_TASK_ID") || undefined;
}

/**
 * An agent may add tasks and say that its own is done or failed; what counts as done, and what other tasks are, is not
 * its to change. RALPH_TASK_INSIDE_ITERATION.
 */
export function refuseInsideIteration(command: string): void {
  const task = iterationTask();
  if (task === undefined) return;
  throw new RalphError(
    "RALPH_TASK_INSIDE_ITERATION",
    `\`ralph task ${command}\` is not for the agent at work on ${task}`,
    {
      hint: "propose smaller tasks with a <subtasks> checklist in your final message, or add one with `ralph task add`",
    },
  );
}
