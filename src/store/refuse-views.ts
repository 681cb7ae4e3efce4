import { RalphError } from "../base/errors.ts";
import type { Db } from "./db.ts";

/**
 * Refuses a store with a view, which ralph's schema has none of: an agent at work may have put it in a table's place, and what
 * reads it could wait forever.
 *
 * @throws RalphError `RALPH_STORE_INCOMPLETE`
 */
export async function refuseViews(db: Db): Promise<void> {
  const [view] = await db.dialect.views();
  if (view === undefined) return;
  throw new RalphError(
    "RALPH_STORE_INCOMPLETE",
    `the store ${db.location} contains a view that ralph did not make: ${JSON.stringify(view)}`,
    { hint: "wait for the end of the iteration, which repairs it, or run `ralph doctor --repair`" },
  );
}
