import { RalphError } from "../../base/errors.ts";

/** Returns the error of a run in a project without tasks. */
export function noTasks(root: string): RalphError {
  return new RalphError("RALPH_RUN_NO_TASKS", `no tasks in ${root}`, {
    hint: 'run `ralph task import tasks.md` or `ralph task add "title"`',
  });
}
