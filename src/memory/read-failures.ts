import type { Reader } from "../store/port/db.ts";
import { failedAttempts } from "./failures/failure-store.ts";

/** The report of one failed attempt, for people. Texts may hold anything an agent or a tool printed. */
export interface FailureView {
  readonly attempt: number;
  readonly model: string;
  readonly outcome: string;
  readonly whatTried: string;
  readonly whyFailed: string;
  readonly category: string;
  readonly files: readonly string[];
  readonly errorOutput: string;
  readonly retrySuggestion: string | null;
  readonly signature: string | null;
}

/** The latest 100 failed attempts of a task, oldest first. */
export async function reportsOf(q: Reader, taskId: string): Promise<readonly FailureView[]> {
  const attempts = await failedAttempts(q, taskId, 100);
  return attempts.map((attempt) => ({
    attempt: attempt.attempt,
    model: attempt.model,
    outcome: attempt.outcome,
    whatTried: attempt.whatTried ?? "",
    whyFailed: attempt.whyFailed ?? attempt.reason ?? "",
    category: attempt.category ?? "unknown",
    files: attempt.files,
    errorOutput: attempt.errorOutput || attempt.snippet,
    retrySuggestion: attempt.retrySuggestion,
    signature: attempt.signature,
  }));
}

/** A failure report by its id, for people. */
export interface ReportView {
  readonly json: object;
  readonly lines: readonly string[];
}

/** Returns the failure report of an id such as `t-1#2`; undefined if there is none. */
export async function getReport(q: Reader, id: string): Promise<ReportView | undefined> {
  if (!id.includes("#")) return undefined;
  const { getReports } = await import("./failures/failure-index.ts");
  const { reportJson, reportLines } = await import("./failures/report-view.ts");
  const [report] = await getReports(q, [id]);
  return report && { json: reportJson(report), lines: reportLines(report) };
}
