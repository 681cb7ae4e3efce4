import type { Reader } from "../store/db.ts";

/** How many learnings may stand in prompts. A file of its own, so that `ralph status` loads no more than this. */
export async function countUsable(q: Reader): Promise<number> {
  const row = await q.get<{ n: number }>(
    "SELECT COUNT(*) AS n FROM learnings WHERE status IN ('active','stale')",
  );
  return Number(row?.n ?? 0);
}
