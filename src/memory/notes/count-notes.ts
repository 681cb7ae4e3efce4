import type { Reader } from "../../store/port/db.ts";

/** Counts the notes of one session, or all. */
export async function countNotes(q: Reader, session?: string): Promise<number> {
  const [where, values] = session === undefined ? ["", []] : [" WHERE session = ?", [session]];
  const row = await q.get<{ n: number }>(`SELECT COUNT(*) AS n FROM notes${where}`, values);
  return Number(row?.n ?? 0);
}
