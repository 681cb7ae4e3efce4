import { RalphError } from "../../base/errors.ts";

/** Returns the error of a command line that cannot be meant; exit code 2. */
export function usageError(message: string, hint: string): RalphError {
  return new RalphError("RALPH_USAGE", message, { hint });
}
