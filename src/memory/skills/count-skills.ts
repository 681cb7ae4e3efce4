import type { Reader } from "../../store/port/db.ts";
import { readNumber } from "../../store/port/rows.ts";

/** Counts the accepted skills. */
export async function countSkills(q: Reader): Promise<number> {
  return readNumber(q, "SELECT COUNT(*) AS n FROM skills WHERE status = 'active'");
}
