import { RalphError } from "../../base/errors.ts";
import type { Reader } from "../../store/port/db.ts";
import { waitPath } from "./wait-path.ts";

/** Throws RALPH_TASK_CYCLE with the path if `waitedFor` already waits for `waiter`, directly or not. */
export async function refuseCycle(q: Reader, waiter: string, waitedFor: string): Promise<void> {
  const path = await waitPath(q, waiter, waitedFor);
  if (!path) return;
  const cycle = [waiter, ...path.toReversed()].join(" → ");
  throw new RalphError(
    "RALPH_TASK_CYCLE",
    `Task ${waiter} cannot wait for ${waitedFor}: ${cycle} is a cycle.`,
    {
      hint: "each task waits for the next, and a parent for its children; remove one step with `ralph task depend ID --remove BLOCKER`",
    },
  );
}
