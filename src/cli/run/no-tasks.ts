import { RalphError } from "../../base/errors.ts";

/** What a run says that has nothing to run. */
export function noTasks(root: string): RalphError {
  return new RalphError("RALPH_RUN_NO_TASKS", `there are no tasks in ${root}`, {
    hint: 'ralph task import tasks.md, or: ralph task add "what is to be done"',
  });
}
