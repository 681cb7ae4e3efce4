import { RalphError } from "../../base/errors.ts";
import { readEnv } from "../../config/environment.ts";

/**
 * Refuses a command that agents may not use.
 *
 * @throws RalphError `RALPH_MEMORY_INSIDE_ITERATION`
 */
export function refuseInsideIteration(command: string): void {
  const task = readEnv("RALPH_TASK_ID");
  if (!task) return;
  throw new RalphError(
    "RALPH_MEMORY_INSIDE_ITERATION",
    `\`ralph ${command}\` is not available to the agent working on ${task}`,
    { hint: "state what you learned in your final message" },
  );
}
