import { parseStrings } from "../../base/json.ts";
import { clip, oneLine } from "../../base/text.ts";
import type { DocumentSource, SearchDocument } from "../../search/document.ts";
import { addDocuments, removeDocuments } from "../../search/index-documents.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { readNumber } from "../../store/port/rows.ts";

const kind = "failure report";
const errorChars = 400;
const maxFiles = 10;

/** A failure report as searches find it. */
export interface FoundReport {
  /** Its task and attempt: `t-1#2`. */
  readonly id: string;
  readonly taskId: string;
  readonly attempt: number;
  /** The title of its task; "" when the task was removed. */
  readonly title: string;
  readonly whatTried: string;
  readonly whyFailed: string;
  readonly category: string;
  readonly files: readonly string[];
  readonly snippet: string;
  readonly retrySuggestion: string | null;
  readonly signature: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Returns the tags of a report, as the hivemind has them (HIVE-2). */
export function reportTags({ category }: Pick<FoundReport, "category">): readonly string[] {
  return ["ralph", "failure", category];
}

/** Returns a report as one line, in the form in which other projects read it (HIVE-2). */
export function reportSummary({ category, title, files, whyFailed }: FoundReport): string {
  const named = files.slice(0, maxFiles).join(", ") || "none";
  return `Ralph failure [${category}]: ${title}. Files: ${named}. Error: ${clip(oneLine(whyFailed), errorChars)}`;
}

/** Returns the id of a report. */
export function reportId({ taskId, attempt }: Pick<FoundReport, "taskId" | "attempt">): string {
  return `${taskId}#${attempt}`;
}

type ReportRow = Omit<FoundReport, "id" | "files"> & { readonly files: string | null };

const select = `SELECT r.task_id AS "taskId", r.attempt_number AS attempt, COALESCE(t.title, '') AS title,
  COALESCE(r.what_was_tried, '') AS "whatTried", COALESCE(r.why_it_failed, '') AS "whyFailed",
  COALESCE(r.error_category, 'unknown') AS category, r.relevant_files AS files,
  COALESCE(r.stack_trace_snippet, '') AS snippet, r.retry_suggestion AS "retrySuggestion",
  r.error_signature AS signature, r.created_at AS "createdAt"
  FROM failure_reports r LEFT JOIN tasks t ON t.id = r.task_id`;

function fromRow(row: ReportRow): FoundReport {
  const attempt = Number(row.attempt);
  return { ...row, attempt, id: reportId({ ...row, attempt }), files: parseStrings(row.files) };
}

/** Returns the reports of these ids that exist, in the order of `ids`. */
export async function getReports(q: Reader, ids: readonly string[]): Promise<readonly FoundReport[]> {
  const keys = ids.map((id) => [id.slice(0, id.lastIndexOf("#")), attemptIn(id)] as const);
  const wanted = q.dialect.tupleRows({ task: "text", attempt: "integer" }, keys);
  const rows = await q.all<ReportRow>(
    `${select} JOIN ${wanted.sql} AS wanted ON wanted.task = r.task_id AND wanted.attempt = r.attempt_number`,
    wanted.params,
  );
  const found = new Map(rows.map((row) => [reportId(row), fromRow(row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

function attemptIn(id: string): number {
  const attempt = Number(id.slice(id.lastIndexOf("#") + 1));
  return Number.isSafeInteger(attempt) ? attempt : 0;
}

/** Returns the newest reports; `category`: only of this error category. */
export async function newestReports(
  q: Reader,
  { category, limit }: { readonly category: string | null; readonly limit: number },
): Promise<readonly FoundReport[]> {
  const rows = await q.all<ReportRow>(
    `${select}${category === null ? "" : " WHERE LOWER(r.error_category) = ?"}
     ORDER BY r.created_at DESC, r.task_id, r.attempt_number DESC LIMIT ?`,
    [...(category === null ? [] : [category]), limit],
  );
  return rows.map(fromRow);
}

/** The failure reports as documents of the search index. */
export const reportSource: DocumentSource = {
  kind,
  read: async (q, ids) => (await getReports(q, ids)).map(toDocument),
  count: (q) => readNumber(q, "SELECT COUNT(*) AS n FROM failure_reports"),
  readAll: async function* (q) {
    const rows = await q.all<ReportRow>(`${select} ORDER BY r.created_at, r.task_id, r.attempt_number`);
    for (let at = 0; at < rows.length; at += 200)
      yield rows.slice(at, at + 200).map((row) => toDocument(fromRow(row)));
  },
};

/** Adds written reports to the index. */
export async function indexReports(tx: Tx, ids: readonly string[]): Promise<void> {
  await addDocuments(tx, (await getReports(tx, ids)).map(toDocument));
}

/** Removes deleted reports from the index. */
export async function unindexReports(tx: Tx, ids: readonly string[]): Promise<void> {
  await removeDocuments(tx, kind, ids);
}

function toDocument(report: FoundReport): SearchDocument {
  const { id, title, whatTried, retrySuggestion, snippet, files, signature, taskId, createdAt } = report;
  return {
    kind,
    id,
    scope: "project",
    title,
    body: [reportSummary(report), whatTried, retrySuggestion ?? "", snippet].join("\n"),
    tags: reportTags(report),
    files,
    errorSignature: signature,
    taskId,
    createdAt,
  };
}
