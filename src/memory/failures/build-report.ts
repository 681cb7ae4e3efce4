import { joinSafe, replaceSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { clip, oneLine } from "../../base/text.ts";
import { closingSentences, lastWords } from "../../outcome/closing-sentences.ts";
import { firstErrorLine } from "../../outcome/error-line.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { redactedText, safeLine, safeText } from "../../trust/safe-text.ts";
import type { FailureReport } from "./failure-store.ts";
import { shrinkError } from "./shrink-error.ts";

/** Seed 1 keeps the first 500 characters of a trace; free text of an agent is kept up to `textChars`. */
const snippetChars = 500;
const textChars = 2000;
const maxFiles = 20;

/**
 * The report of an attempt that was not done: the agent's own where it gave one, each missing part built from facts.
 * Secrets are taken out before anything is cut.
 */
export function buildReport(outcome: Outcome): FailureReport {
  const statement = outcome.claims.report;
  const message = safeText(outcome.finalMessage);
  const excerpt = clean(outcome.errorExcerpt);
  const reported = statement && statement.errorCategory !== "unknown" ? statement.errorCategory : null;
  const trace = clean(statement?.stackTrace ?? "");
  const files =
    statement && statement.relevantFiles.length > 0 ? statement.relevantFiles : outcome.work.files;
  const suggestion = outcome.claims.retrySuggestion;
  return {
    taskId: outcome.taskId,
    attempt: outcome.attempt,
    whatTried: withChanges(outcome, keep(statement?.whatTried ?? "") || triedByFacts(outcome, message)),
    whyFailed: reportedReason(outcome) || failedByFacts(outcome, excerpt),
    category: clip(oneLine(clean(reported ?? outcome.category ?? "unknown")), 60),
    files: files.slice(0, maxFiles).map((file) => safeText(file)),
    snippet: trace ? clip(trace, snippetChars) : shrinkError(excerpt, snippetChars),
    retrySuggestion: suggestion ? keep(suggestion) : null,
    signature: outcome.signature,
    lastMessage: clip(clean(message), textChars),
  };
}

/** The agent's own reason; it does not know that its sigil did not count. */
function reportedReason({ claims: { report, ignoredSigil } }: Outcome): SafeText {
  const stated = keep(report?.whyFailed ?? "");
  return stated && ignoredSigil
    ? safe`${replaceSafe(stated, /\.$/, () => safe``)}; ${clean(ignoredSigil)}`
    : stated;
}

function clean(text: string): SafeText {
  return safeText(text).trim();
}

function keep(text: string): SafeText {
  return clip(clean(text), textChars);
}

const shownChanges = 5;

/** Puts the measured changes before the agent's words about them. */
function withChanges({ work, attempt }: Outcome, words: SafeText): SafeText {
  const { changes } = work;
  if (!changes || changes.length === 0) return words;
  const shown = changes
    .slice(0, shownChanges)
    .map((change) => safe`${safeLine(change.path, 120)} ${statOf(change)}`);
  const more =
    work.files.length > shown.length ? safe` and ${work.files.length - shown.length} more` : safe``;
  // The changes are those since the task began.
  const verb = attempt === 1 ? safe`Changed` : safe`Changed by then:`;
  return clip(safe`${verb} ${joinSafe(shown, ", ")}${more}. ${words}`, textChars);
}

function statOf({ kind, added, removed }: NonNullable<Outcome["work"]["changes"]>[number]): SafeText {
  if (kind === "deleted") return safe`deleted`;
  const lines = added === null || removed === null ? safe`not text` : safe`+${added} -${removed}`;
  return kind === "new" ? safe`new, ${lines}` : lines;
}

function triedByFacts(outcome: Outcome, message: SafeText): SafeText {
  const words = closingSentences(message, 600);
  if (words) return words;
  const { files, changes, usersFiles } = outcome.work;
  if (changes && changes.length > 0) return safe`The agent left no message.`;
  const changed = [...files, ...usersFiles];
  if (changed.length === 0) return safe`Nothing was changed, and the agent left no message.`;
  const what = files.length === 0 ? "Changed only the user's own" : "Changed";
  const more = changed.length > 5 ? ` and ${changed.length - 5} more` : "";
  return safeText(`${what} ${changed.slice(0, 5).join(", ")}${more}; the agent left no message.`);
}

function states(text: string, part: string): boolean {
  return oneLine(text).includes(oneLine(part));
}

/** The agent's last words are already what was tried. */
function withoutLastWords({ reason, finalMessage }: Outcome): string {
  const words = lastWords(redactedText(finalMessage));
  return words === "" ? reason : reason.replace(`: ${words}`, "");
}

/** The verdict's reason, then whatever of exit, signal, time-out, failed commands and first error it does not say yet. */
function failedByFacts(outcome: Outcome, excerpt: string): SafeText {
  const { agentError } = outcome;
  const checks = outcome.checks.filter((check) => !check.passed && !outcome.reason.includes(check.command));
  const facts = [
    withoutLastWords(outcome),
    ...(agentError && !states(outcome.reason, agentError.message)
      ? [`${agentError.kind}: ${agentError.message}`]
      : []),
    ...checks.map((check) => `\`${check.command}\`: ${check.reason}`),
    firstErrorLine(excerpt) ?? "",
  ];
  const described: SafeText[] = [];
  for (const fact of facts) {
    const line = replaceSafe(oneLine(clean(fact)), /\.$/, () => safe``);
    if (line && !described.some((earlier) => states(earlier, line))) described.push(clip(line, 500));
  }
  return safe`${joinSafe(described, ". ") || "The attempt was not done"}.`;
}
