import { parseStrings } from "../../../base/json.ts";
import { taskQuery } from "../../../search/query.ts";
import type { Reader } from "../../../store/db.ts";

const rowsPerPart = 500;

/** Yields the texts of all learnings, by which their vectors are found, in parts. */
export async function* learningTexts(
  q: Reader,
): AsyncGenerator<readonly { readonly title: string; readonly body: string }[]> {
  for await (const rows of parts<{ id: string; title: string; body: string }>(
    q,
    "SELECT id, content AS title, COALESCE(detail, '') AS body FROM learnings",
  )) {
    yield rows;
  }
}

/** Yields the texts of all tasks, by which their vectors are found, in parts. */
export async function* taskQueries(
  q: Reader,
): AsyncGenerator<readonly { readonly title: string; readonly description: string }[]> {
  for await (const rows of parts<{ id: string; title: string; description: string; acceptance: string }>(
    q,
    "SELECT id, title, description, acceptance FROM tasks",
  )) {
    yield rows.map((row) =>
      taskQuery({ ...row, acceptance: parseStrings(row.acceptance), files: [], tags: [] }),
    );
  }
}

/** Reads all rows of a table with ids, some at a time. */
async function* parts<R extends { readonly id: string }>(
  q: Reader,
  select: string,
): AsyncGenerator<readonly R[]> {
  let last = "";
  for (;;) {
    const rows = await q.all<R>(`${select} WHERE id > ? ORDER BY id LIMIT ${rowsPerPart}`, [last]);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerPart) return;
    last = rows.at(-1)?.id ?? "";
  }
}
