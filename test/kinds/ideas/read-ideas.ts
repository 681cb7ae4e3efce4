import type { Reader } from "../../../src/store/port/db.ts";

export interface Idea {
  readonly id: string;
  readonly text: string;
  readonly taskId: string;
  readonly runId: string;
  readonly createdAt: string;
  readonly timesShown: number;
  readonly archivedAt: string | null;
}

/** Returns all ideas, oldest first; those of one message by their text, as ids are random. */
export async function listIdeas(q: Reader): Promise<readonly Idea[]> {
  const rows = await q.all<Idea>(
    `SELECT id, text, task_id AS "taskId", run_id AS "runId", created_at AS "createdAt",
       times_shown AS "timesShown", archived_at AS "archivedAt" FROM ideas ORDER BY created_at, text`,
  );
  return rows.map((row) => ({ ...row, timesShown: Number(row.timesShown) }));
}

/** Counts the ideas that prompts may show. */
export async function countIdeas(q: Reader): Promise<number> {
  const row = await q.get<{ n: number }>("SELECT COUNT(*) AS n FROM ideas WHERE archived_at IS NULL");
  return Number(row?.n ?? 0);
}
