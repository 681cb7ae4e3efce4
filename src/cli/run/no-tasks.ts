import { RalphError } from "../../base/errors.ts";

/** Returns the error of a run in a project without tasks; `shared`: the project of the main work tree, where tasks may be. */
export function noTasks(root: string, shared: string = root): RalphError {
  const elsewhere = shared === root ? "" : `; the tasks of ${shared} are run there`;
  return new RalphError("RALPH_RUN_NO_TASKS", `no tasks in ${root}`, {
    hint: `run \`ralph task import tasks.md\` or \`ralph task add "title"\`${elsewhere}`,
  });
}
