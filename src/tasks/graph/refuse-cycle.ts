import { RalphError } from "../../base/errors.ts";
import type { Reader } from "../../store/db.ts";
import { waitPath } from "./wait-path.ts";

/** Throws RALPH_TASK_CYCLE, naming the path, when `waiter` could never finish if it also waited for `waitedFor`. */
export async function refuseCycle(q: Reader, waiter: string, waitedFor: string): Promise<void> {
  const path = await waitPath(q, waiter, waitedFor);
  if (!path) return;
  const cycle = [waiter, ...path.toReversed()].join(" → ");
  throw new RalphError(
    "RALPH_TASK_CYCLE",
    `Task ${waiter} cannot wait for ${waitedFor}: ${cycle} is a cycle.`,
    {
      hint: "each waits for the next, and a parent for its children; take one step out with `ralph task depend ID --remove BLOCKER`",
    },
  );
}
