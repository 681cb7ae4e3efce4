import { textQuery } from "../../search/query.ts";
import { search } from "../../search/search.ts";
import type { Reader } from "../../store/port/db.ts";
import type { FindRequest, FoundMemories, FoundMemory } from "../port/kind-commands.ts";
import {
  type FoundReport,
  getReports,
  newestReports,
  reportSource,
  reportSummary,
  reportTags,
} from "./failure-index.ts";
import { reportJson } from "./report-view.ts";

/** Number of hits from which tags select. */
const maxCandidates = 200;

/** Returns the failure reports that fit typed words, best first; without words the newest with all of the tags. */
export async function findReports(q: Reader, request: FindRequest): Promise<FoundMemories> {
  const { text, limit, scope, now } = request;
  if (scope !== null && scope !== "project") return { found: [], problem: null };
  const tags = request.tags.map((tag) => tag.toLowerCase());
  const has = (report: FoundReport): boolean => tags.every((tag) => reportTags(report).includes(tag));
  if (text === "") {
    const category = tags.find((tag) => tag !== "ralph" && tag !== "failure") ?? null;
    const reports = (await newestReports(q, { category, limit })).filter(has);
    return {
      found: reports.map((report) => toFound(report, { score: 1, parts: { tags: 1 } })),
      problem: null,
    };
  }
  const { hits } = await search(q, {
    query: textQuery(text),
    sources: [reportSource],
    limit: tags.length > 0 ? maxCandidates : limit,
    now,
    abstain: false,
    recency: false,
  });
  const ids = hits.map(({ document }) => document.id);
  const reports = new Map((await getReports(q, ids)).map((report) => [report.id, report]));
  const found = hits.flatMap(({ document, score, parts }): readonly FoundMemory[] => {
    const report = reports.get(document.id);
    return report && has(report) ? [toFound(report, { score, parts: { ...parts } })] : [];
  });
  return { found: found.slice(0, limit), problem: null };
}

function toFound(report: FoundReport, match: Pick<FoundMemory, "score" | "parts">): FoundMemory {
  const { id, taskId, category, files, createdAt, whyFailed, whatTried } = report;
  const tags = reportTags(report);
  const about = { id, category, files, createdAt, task: taskId };
  return {
    ...match,
    id,
    line: reportSummary(report),
    json: reportJson(report),
    view: { ...about, lesson: reportSummary(report), detail: `${whyFailed}\n${whatTried}`, tags },
  };
}
