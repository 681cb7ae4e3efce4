import { RalphError } from "../../base/errors.ts";
import { readEnv } from "../../config/environment.ts";

/** What only a person may tell a run: an agent would stop, or instruct, the next one. RALPH_TASK_INSIDE_ITERATION. */
export function refuseInsideRun(command: string): void {
  const task = readEnv("RALPH_TASK_ID");
  if (!task) return;
  throw new RalphError(
    "RALPH_TASK_INSIDE_ITERATION",
    `\`ralph ${command}\` is not for the agent at work on ${task}`,
    { hint: "end your session with a sigil; a person decides about the run" },
  );
}
