import { formatDuration } from "../../base/duration.ts";
import { clip, oneLine } from "../../base/text.ts";
import type { FailureView } from "../../memory/read-failures.ts";
import { extractError } from "../../outcome/extract-error.ts";
import type { Attempt } from "../../outcome/outcome-store.ts";
import { stripControls } from "../../trust/terminal.ts";

/** One attempt on one line. */
export function attemptLine(attempt: Attempt): string {
  const cost = attempt.costUsd === null ? "" : ` · $${attempt.costUsd.toFixed(4)}`;
  const verdict = attempt.verification ? `${attempt.outcome} (${attempt.verification})` : attempt.outcome;
  const reason = attempt.reason ? `: ${clip(stripControls(oneLine(attempt.reason)), 200)}` : "";
  return `attempt ${attempt.attempt} · ${verdict} · ${stripControls(attempt.model)} · ${formatDuration(attempt.durationMs)}${cost}${reason}`;
}

/** What is known of its failure. */
export function reportLines(report: FailureView): readonly string[] {
  const safe = (text: string, max: number) => clip(stripControls(oneLine(text)), max);
  const error = stripControls(extractError(report.errorOutput, 1500))
    .split("\n")
    .filter((text) => text.trim() !== "");
  return [
    `tried: ${safe(report.whatTried, 400)}`,
    `failed because: ${safe(report.whyFailed, 400)}`,
    `type: ${safe(report.category, 60)}${report.files.length > 0 ? ` · files: ${safe(report.files.join(", "), 300)}` : ""}`,
    ...error.slice(0, 30).map((text) => `| ${clip(text, 200)}`),
    ...(report.retrySuggestion ? [`suggests: ${safe(report.retrySuggestion, 400)}`] : []),
  ];
}
