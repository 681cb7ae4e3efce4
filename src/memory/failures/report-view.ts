import { type FoundReport, reportSummary, reportTags } from "./failure-index.ts";

/** Returns a report as JSON: the fields of `swarm memory` and all of our own. */
export function reportJson(report: FoundReport): object {
  const { id, taskId, createdAt, ...more } = report;
  return {
    id,
    content: reportSummary(report),
    metadata: { tags: reportTags(report) },
    collection: "project",
    createdAt,
    confidence: 1,
    kind: "failure report",
    task: taskId,
    ...more,
  };
}

/** Returns a report as lines for people. */
export function reportLines(report: FoundReport): readonly string[] {
  const { id, category, title, taskId, attempt, whatTried, whyFailed, snippet, ...more } = report;
  const rows: readonly (readonly [string, string])[] = [
    ["from", `attempt ${attempt} of ${taskId}`],
    ["files", more.files.join(", ")],
    ["advice", more.retrySuggestion ?? ""],
    ["created", more.createdAt],
  ];
  return [
    `${id}  [${category}]`,
    title,
    whyFailed,
    whatTried,
    ...(snippet ? [snippet] : []),
    "",
    ...rows.filter(([, value]) => value !== "").map(([name, value]) => `  ${name.padEnd(11)} ${value}`),
  ];
}
