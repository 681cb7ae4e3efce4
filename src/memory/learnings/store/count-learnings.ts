import type { Reader } from "../../../store/port/db.ts";
import { readNumber } from "../../../store/port/rows.ts";

/** Counts the learnings that may appear in prompts. A separate file, so that `ralph status` loads only this. */
export async function countUsable(q: Reader): Promise<number> {
  return readNumber(q, "SELECT COUNT(*) AS n FROM learnings WHERE status IN ('active','stale')");
}
