import { formatDuration } from "../../../base/duration.ts";
import { clip, count } from "../../../base/text.ts";
import type { FailureView } from "../../../memory/read-failures.ts";
import { extractError } from "../../../outcome/extract-error.ts";
import type { Attempt } from "../../../outcome/outcome-store.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import { costText, isEstimate } from "../../../view/format.ts";

/** Returns one attempt as one line. */
export function attemptLine(attempt: Attempt): string {
  const cost =
    attempt.costUsd === null ? "" : ` · ${costText(attempt.costUsd, 4, isEstimate(attempt.costSource))}`;
  const verdict = attempt.verification ? `${attempt.outcome} (${attempt.verification})` : attempt.outcome;
  const reason = attempt.reason ? `: ${storedLine(attempt.reason, 200)}` : "";
  return `attempt ${attempt.attempt} · ${verdict} · ${storedText(attempt.model)} · ${formatDuration(attempt.durationMs)}${cost}${reason}`;
}

/** Returns how full the context was, and how often it was summarized; "" if the agent reported neither. */
function contextText({ contextUsed, contextSize, compactions }: Attempt): string {
  const share = contextUsed && contextSize ? ` (${Math.round((100 * contextUsed) / contextSize)}%)` : "";
  const used = contextUsed === null ? "" : `context ${contextUsed} tokens${share}`;
  const times = compactions ? count(compactions, "compaction") : "";
  return [used, times].filter((part) => part !== "").join(", ");
}

/** Returns what the agent reported about its session: tokens, context, cost source, model, and the permissions it was denied. */
export function sessionLines(attempt: Attempt): readonly string[] {
  const safe = (text: string, max: number) => storedLine(text, max);
  const { tokensInput, tokensOutput, tokensCacheRead, costSource, agentModel, sessionId, errorKind } =
    attempt;
  const facts = [
    tokensInput === null
      ? ""
      : `${tokensInput} tokens in, ${tokensOutput ?? 0} out, ${tokensCacheRead ?? 0} cached`,
    contextText(attempt),
    costSource === null ? "" : `cost ${costSource}`,
    agentModel === null || agentModel === attempt.model ? "" : `answered by ${agentModel}`,
    errorKind === null ? "" : `ended by ${errorKind}`,
    sessionId === null ? "" : `session ${sessionId}`,
  ].filter((fact) => fact !== "");
  const { permissionDenials: denied, agent } = attempt;
  return [
    ...(facts.length > 0 ? [safe(facts.join(" · "), 300)] : []),
    ...denied.map((what) => `permission denied: ${safe(what, 200)}`),
    ...(denied.length > 0 && agent
      ? [`hint: allow it with agents.${agent}.permission or agents.${agent}.extraArgs`]
      : []),
  ];
}

/** Returns the attempt's warnings, such as how to get back a person's file that the agent overwrote. */
export function warningLines({ warnings }: Attempt): readonly string[] {
  return warnings.flatMap((warning) =>
    warning.split("\n").map((line, n) => `${n === 0 ? "!" : " "} ${storedLine(line, 400)}`),
  );
}

/** Returns a failure report as lines, without what the attempt's `reason` and the error below it contain. */
export function reportLines(report: FailureView, reason: string | null): readonly string[] {
  const safe = (text: string, max: number) => storedLine(text, max);
  const error = storedText(extractError(report.errorOutput, 1500))
    .split("\n")
    .filter((text) => text.trim() !== "");
  const why = furtherReason(report.whyFailed, reason, error.join("\n"));
  return [
    `tried: ${safe(report.whatTried, 400)}`,
    ...(why === "" ? [] : [`failed because: ${safe(why, 400)}`]),
    `type: ${safe(report.category, 60)}${report.files.length > 0 ? ` · files: ${safe(report.files.join(", "), 300)}` : ""}`,
    ...error.slice(0, 30).map((text) => `| ${clip(text, 200)}`),
    ...(report.retrySuggestion ? [`suggestion: ${safe(report.retrySuggestion, 400)}`] : []),
  ];
}

/** Returns the sentences of `why` that neither the reason nor the error contains. A report from facts begins with the reason. */
function furtherReason(why: string, reason: string | null, error: string): string {
  const rest =
    reason !== null && why.startsWith(reason) ? why.slice(reason.length).replace(/^[.:;\s]+/, "") : why;
  return error.includes(rest.replace(/\.$/, "")) ? "" : rest;
}
