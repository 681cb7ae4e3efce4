import type { Reader } from "../../../store/port/db.ts";

/** Counts the learnings that may appear in prompts. A separate file, so that `ralph status` loads only this. */
export async function countUsable(q: Reader): Promise<number> {
  const row = await q.get<{ n: number }>(
    "SELECT COUNT(*) AS n FROM learnings WHERE status IN ('active','stale')",
  );
  return Number(row?.n ?? 0);
}
