import type { Pacer } from "../../../base/clock.ts";
import { isObject, type JsonObject, parseJson, parseStrings } from "../../../base/json.ts";
import type { RedactedText } from "../../../base/safe-text.ts";
import type { Reader, SqlValue } from "../../../store/port/db.ts";
import { readNumber } from "../../../store/port/rows.ts";
import { isSummary, type Learning, type LearningStatus, learningStatuses } from "./learning.ts";
import { fromRow, type LearningRow } from "./learning-row.ts";

const select = "SELECT l.* FROM learnings l";

/** Maximum number of ids per query. */
const idsPerQuery = 500;

export async function getLearning(q: Reader, id: string): Promise<Learning | undefined> {
  const row = await q.get<LearningRow>(`${select} WHERE l.id = ?`, [id]);
  return row && fromRow(row);
}

/** Returns the learnings of `ids` that exist, in the order of `ids`. */
export async function getLearnings(q: Reader, ids: readonly string[]): Promise<readonly Learning[]> {
  const found = new Map<string, Learning>();
  for (let at = 0; at < ids.length; at += idsPerQuery) {
    const part = ids.slice(at, at + idsPerQuery);
    const { sql, params } = q.dialect.inList("l.id", part);
    const rows = await q.all<LearningRow>(`${select} WHERE ${sql}`, params);
    for (const row of rows) found.set(String(row["id"]), fromRow(row));
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Returns those of `ids` that rest on an agent's word alone (LEARN-12). */
export async function unprovenOf(q: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { sql, params } = q.dialect.inList("l.id", ids);
  const rows = await q.all<{ id: string }>(
    `SELECT l.id FROM learnings l WHERE ${sql} AND ${isUnproven}`,
    params,
  );
  return new Set(rows.map(({ id }) => id));
}

/** As `getLearnings`, for many ids, with pauses. */
export async function readInSlices(
  q: Reader,
  ids: readonly string[],
  pacer?: Pacer,
): Promise<readonly Learning[]> {
  const found: Learning[] = [];
  for (let at = 0; at < ids.length; at += wholeRowsPerSlice) {
    await pacer?.pause();
    for (const one of await getLearnings(q, ids.slice(at, at + wholeRowsPerSlice))) found.push(one);
  }
  return found;
}

export interface LearningFilter {
  readonly status?: readonly LearningStatus[];
  readonly category?: string;
  readonly tag?: string;
  readonly task?: string;
  readonly runId?: string;
  readonly scope?: string;
  /** True: only what rests on an agent's word alone (LEARN-12). */
  readonly unproven?: boolean;
  /** True: only what waits for a person because tasks failed with it (LEARN-12). */
  readonly withdrawn?: boolean;
  /** True: only what was judged helpful at least twice. */
  readonly helpful?: boolean;
  readonly limit?: number;
}

/** Returns the learnings that match a filter, newest first. */
export async function listLearnings(q: Reader, filter: LearningFilter = {}): Promise<readonly Learning[]> {
  const { where, params } = conditions(filter);
  const limit = filter.limit === undefined ? "" : " LIMIT ?";
  // Of the index of helpful ones, SQLite uses this order alone.
  const order = `l.created_at DESC, l.id${filter.helpful ? " DESC" : ""}`;
  const rows = await q.all<LearningRow>(`${select}${where} ORDER BY ${order}${limit}`, [
    ...params,
    ...(filter.limit === undefined ? [] : [filter.limit]),
  ]);
  return rows.map(fromRow);
}

/** The fields of a learning that clustering needs. Whole rows take ten times as long to read. */
export type ClusterFields = Pick<Learning, "id" | "category" | "scope" | "tags" | "createdAt">;

type ClusterRow = Record<"id" | "scope" | "createdAt" | "status", string> & {
  readonly category: RedactedText;
  readonly tags: RedactedText;
  readonly pinned: number;
};

/** Rows that are read without a pause: a few milliseconds. */
const rowsPerSlice = 250;
const wholeRowsPerSlice = 40;

/** Returns the active learnings that may be merged, in the order of their ids. Pauses between pages. */
export async function listForClusters(q: Reader, pacer?: Pacer): Promise<readonly ClusterFields[]> {
  const found: ClusterFields[] = [];
  for (let after = ""; ; ) {
    // Filtered below: with the status in the query, SQLite sorts all active learnings for each page.
    const rows = await q.all<ClusterRow>(
      `SELECT id, category, scope, relevance_tags AS "tags", created_at AS "createdAt", status, pinned
       FROM learnings WHERE id > ? ORDER BY id LIMIT ?`,
      [after, rowsPerSlice],
    );
    for (const { status, pinned, ...fields } of rows) {
      // Merged summaries of several tasks fit none of them.
      if (status === "active" && Number(pinned) === 0 && !isSummary(fields))
        found.push({ ...fields, tags: parseStrings(fields.tags) });
    }
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerSlice) return found;
    after = last.id;
    await pacer?.pause();
  }
}

export async function countLearnings(q: Reader, filter: LearningFilter = {}): Promise<number> {
  const { where, params } = conditions(filter);
  return readNumber(q, `SELECT COUNT(*) AS n FROM learnings l${where}`, params);
}

/** As `isProven` decides. */
export const isUnproven =
  "l.source <> 'person' AND l.proven_at IS NULL AND l.said_helpful <= l.said_harmful AND l.tasks_passed < 2 + l.said_harmful";

/** As `archivedBy` decides. */
const isWithdrawn = `l.status = 'pruned' AND 'withdrawn' = (SELECT h.change FROM learning_history h
  WHERE h.learning_id = l.id AND h.change <> 'strengthened' ORDER BY h.number DESC LIMIT 1)`;

const flagConditions = {
  unproven: isUnproven,
  withdrawn: isWithdrawn,
  helpful: "l.said_helpful >= 2",
} as const;

const flags = ["unproven", "withdrawn", "helpful"] as const;

function conditions(filter: LearningFilter): {
  readonly where: string;
  readonly params: readonly SqlValue[];
} {
  const parts: string[] = [];
  const params: SqlValue[] = [];
  const { status, category, tag, task, runId, scope } = filter;
  if (status) {
    parts.push(`l.status IN (${status.map(() => "?").join(", ")})`);
    for (const one of status) params.push(one);
  }
  if (category !== undefined) parts.push("l.category = ?") && params.push(category);
  if (task !== undefined) parts.push("l.origin_task = ?") && params.push(task);
  if (runId !== undefined) parts.push("l.run_id = ?") && params.push(runId);
  if (scope !== undefined) parts.push("l.scope = ?") && params.push(scope);
  parts.push(...flags.filter((flag) => filter[flag]).map((flag) => flagConditions[flag]));
  if (tag !== undefined) {
    parts.push("l.relevance_tags LIKE ? ESCAPE '!'");
    params.push(`%${JSON.stringify(tag).replace(/[!%_]/g, "!$&")}%`);
  }
  return { where: parts.length > 0 ? ` WHERE ${parts.join(" AND ")}` : "", params };
}

export async function categoriesOf(q: Reader): Promise<readonly string[]> {
  const rows = await q.all<{ category: string }>("SELECT DISTINCT category FROM learnings ORDER BY category");
  return rows.map(({ category }) => category);
}

/** Counts the learnings of each status. */
export async function countByStatus(q: Reader): Promise<Readonly<Record<LearningStatus, number>>> {
  const rows = await q.all<{ status: LearningStatus; n: number }>(
    "SELECT status, COUNT(*) AS n FROM learnings GROUP BY status",
  );
  const counts = Object.fromEntries(learningStatuses.map((status) => [status, 0]));
  for (const { status, n } of rows) counts[status] = Number(n);
  return counts as Record<LearningStatus, number>;
}

/** Returns the oldest learning with exactly this content, preferring one that may appear in prompts. */
export async function findByHash(q: Reader, hash: string): Promise<Learning | undefined> {
  const row = await q.get<LearningRow>(
    `${select} WHERE l.content_hash = ?
     ORDER BY CASE WHEN l.status IN ('active','stale') THEN 0 ELSE 1 END, l.created_at, l.id LIMIT 1`,
    [hash],
  );
  return row && fromRow(row);
}

/** Returns usable learnings of any task that are known fixes for this error, newest first. */
export async function findFixes(q: Reader, signature: string, limit: number): Promise<readonly Learning[]> {
  const rows = await q.all<LearningRow>(
    `${select} WHERE l.id IN (SELECT learning_id FROM learning_signatures WHERE signature = ?)
       AND l.status IN ('active','stale') ORDER BY l.created_at DESC, l.id LIMIT ?`,
    [signature, limit],
  );
  return rows.map(fromRow);
}

/** One line of a learning's history. */
export interface HistoryLine {
  readonly number: number;
  readonly at: string;
  readonly change: string;
  readonly by: string;
  readonly runId: string | null;
  readonly detail: JsonObject;
}

/** Returns the changes of a learning, oldest first. */
export async function historyOf(q: Reader, id: string): Promise<readonly HistoryLine[]> {
  const rows = await q.all<Omit<HistoryLine, "detail"> & { readonly detail: string }>(
    `SELECT number, at, change, changed_by AS "by", run_id AS "runId", detail
     FROM learning_history WHERE learning_id = ? ORDER BY number`,
    [id],
  );
  return rows.map((row) => {
    const detail = parseJson(row.detail);
    return { ...row, number: Number(row.number), detail: isObject(detail) ? detail : {} };
  });
}

/** Returns the change that archived a learning; undefined for one that is not archived. */
export async function archivedBy(q: Reader, { id, status }: Learning): Promise<HistoryLine | undefined> {
  if (status !== "pruned") return undefined;
  return (await historyOf(q, id)).findLast(({ change }) => change !== "strengthened");
}

/** Counts what agents of a run stored with the tool or command since then; final messages do not count. */
export async function storedSince(q: Reader, runId: string, since: string): Promise<number> {
  return readNumber(
    q,
    `SELECT COUNT(*) AS n FROM learning_history
     WHERE run_id = ? AND at >= ? AND changed_by = 'agent' AND change IN ('stored','strengthened')`,
    [runId, since],
  );
}
