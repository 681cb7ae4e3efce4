import { RalphError } from "../../base/errors.ts";
import { readEnv } from "../../config/environment.ts";

/** Rejects a command that only a person may use, when an agent typed it.
 *
 * @throws RalphError `RALPH_TASK_INSIDE_ITERATION` */
export function refuseInsideRun(command: string): void {
  const task = readEnv("RALPH_TASK_ID");
  if (!task) return;
  throw new RalphError(
    "RALPH_TASK_INSIDE_ITERATION",
    `\`ralph ${command}\` is not available to the agent working on ${task}`,
    { hint: "end your session with a sigil; only a person may control the run" },
  );
}
