import type { Reader } from "../../../store/port/db.ts";

/** Each change of the evidence changes one of these: a change of a learning adds to its history. */
const counted = [
  "(SELECT COUNT(*) FROM learning_records)",
  "(SELECT MAX(recorded_at) FROM learning_records)",
  "(SELECT SUM(approved) FROM learning_records)",
  "(SELECT COUNT(*) FROM learning_record_entries)",
  "(SELECT COUNT(*) FROM learnings)",
  "(SELECT COUNT(*) FROM learning_history)",
  "(SELECT MAX(at) FROM learning_history)",
  "(SELECT COUNT(*) FROM skill_uses)",
  "(SELECT SUM(loaded) FROM skill_uses)",
  "(SELECT COUNT(*) FROM skill_proposals WHERE status = 'accepted')",
  "(SELECT MAX(updated_at) FROM skills)",
];

/** Returns a text that differs when the evidence may differ. Takes milliseconds where reading the evidence takes a tenth of a second. */
export async function evidenceStamp(q: Reader): Promise<string> {
  const columns = counted.map((sql, at) => `${sql} AS c${at}`);
  const row = await q.get(`SELECT ${columns.join(", ")}`);
  return JSON.stringify(Object.values(row ?? {}));
}
