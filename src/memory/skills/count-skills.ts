import type { Reader } from "../../store/port/db.ts";

/** Counts the accepted skills. */
export async function countSkills(q: Reader): Promise<number> {
  const row = await q.get<{ n: number }>("SELECT COUNT(*) AS n FROM skills WHERE status = 'active'");
  return Number(row?.n ?? 0);
}
