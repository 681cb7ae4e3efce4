import type { Reader } from "../../store/port/db.ts";
import { readNumber } from "../../store/port/rows.ts";

/** Counts the notes of one session, or all. */
export async function countNotes(q: Reader, session?: string): Promise<number> {
  const [where, values] = session === undefined ? ["", []] : [" WHERE session = ?", [session]];
  return readNumber(q, `SELECT COUNT(*) AS n FROM notes${where}`, values);
}
