import type { AgentErrorKind, AgentResult } from "../agents/port/agent.ts";
import { type AttemptRef, attemptRef } from "../base/attempt-ref.ts";
import { fixed, type RedactedText, type SafeText } from "../base/safe-text.ts";
import { nameSome } from "../base/text.ts";
import { redactedText, safeLine } from "../trust/safe-text.ts";
import { classify, errorTypeOf } from "./classify.ts";
import { closingQuestion, lastWords, ownWords, withoutSigils } from "./closing-sentences.ts";
import { extractError } from "./extract-error.ts";
import { noChange } from "./no-change.ts";
import {
  type CheckResult,
  type Claims,
  changedVerification,
  doneWithoutChange,
  isGuardRefusal,
  type Outcome,
  type OutcomeName,
  type Review,
  refusalReason,
  type Verification,
  type WorkDone,
} from "./outcome.ts";
import { errorSignature, refusalFacts } from "./signature.ts";

export interface JudgeFacts extends AttemptRef {
  readonly agent: string;
  readonly model: string;
  readonly askedModel?: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly result: AgentResult;
  /** Claims from the final message and from commands or tools during the iteration. */
  readonly claims: Claims;
  /** Results of the commands that ran; only the last can be a failure. */
  readonly checks: readonly CheckResult[];
  readonly work: WorkDone;
  /** True if any verification command is configured. */
  readonly configured: boolean;
  readonly completion: "signal" | "verified";
  readonly allowNoChange: boolean;
  /** The changes that weaken verification for which the attempt fails (LOOP-18); absent: none. */
  readonly guardWarnings?: readonly string[];
  /** Why the finished work is not what verification read, for which the attempt fails; absent: it is. */
  readonly otherWork?: string | null;
  /** The changed files that verification used as they were before the attempt (`verifyGuard: clean`). */
  readonly usedAsBefore?: readonly string[];
  /** The command that failed before the attempt (LOOP-20); absent: none, or not known. */
  readonly failedBefore?: CheckResult | null;
  /** Absent: nobody reviewed the work. */
  readonly review?: Review | null;
}

/**
 * Judges an attempt: it is `done` if it was verified (or, without a configured command, if the agent claims it and the
 * project changed), whatever the agent says. Pure: equal facts give equal outcomes.
 */
export function judge(facts: JudgeFacts): Outcome {
  const { agent, model, startedAt, durationMs, result, claims, checks, work } = facts;
  const verdict = reachVerdict(facts);
  return {
    ...attemptRef(facts),
    ...{ agent, model, startedAt, durationMs },
    ...(facts.askedModel === undefined ? {} : { askedModel: facts.askedModel }),
    tokens: result.tokens,
    costUsd: result.costUsd,
    session: sessionOf(result),
    name: verdict.name,
    verification: verdict.verification,
    reason: `${withQuestion(verdict, result)}${ignoredSigil(verdict, claims)}${denials(verdict, result)}`,
    ...errorFacts(facts, verdict),
    claims,
    checks,
    work,
    agentError: result.error,
    finalMessage: redactedText(result.finalMessage),
  };
}

function sessionOf(result: AgentResult): Outcome["session"] {
  const { model, sessionId, stopReason, costSource, permissionDenials, loadedSkills = [] } = result;
  const { contextUsed, contextSize, compactions } = result;
  return {
    ...{ model, sessionId, stopReason, costSource, loadedSkills },
    ...{ contextUsed, contextSize, compactions },
    permissionDenials: permissionDenials.map(redactedText),
  };
}

/** Names a sigil that does not count beside another reason, so that the next attempt does not repeat it. */
function ignoredSigil({ name, reason }: Verdict, { ignoredSigil: sigil }: Claims): string {
  const isNamed = sigil === null || reason.includes(sigil);
  return isNamed || name === "done" || name === "error" ? "" : `; ${sigil}`;
}

const gaveUp = "the agent reported failure";

/** Repeats what an agent says or asks that gives up without a report, or that did nothing: a person may have the answer. */
function withQuestion({ name, verification, reason }: Verdict, { finalMessage }: AgentResult): string {
  const message = redactedText(finalMessage);
  const words = reason === gaveUp ? lastWords(message) : "";
  if (words !== "") return `${reason}: ${words}`;
  const asked = name === "no_sigil" || verification === "no_change" ? closingQuestion(message) : "";
  return asked === "" ? reason : `the agent asks: ${asked} (${reason})`;
}

const maxShownDenials = 3;

/** Lists denied permissions: they can be the cause of the failure, and asking again would fail the same way. */
function denials({ name }: Verdict, { permissionDenials }: AgentResult): string {
  if (name === "done" || permissionDenials.length === 0) return "";
  const rest = permissionDenials.length - maxShownDenials;
  const more = rest > 0 ? `, and ${rest} more` : "";
  return `; the agent was not allowed: ${permissionDenials.slice(0, maxShownDenials).join(", ")}${more}`;
}

interface Verdict {
  /** The one that refused the work. */
  readonly review?: Review;
  readonly name: OutcomeName;
  readonly verification: Verification | null;
  readonly reason: string;
}

function reachVerdict(facts: JudgeFacts): Verdict {
  const verdict = beforeVerification(facts) ?? byVerification(facts);
  const { review } = facts;
  if (verdict.name !== "done" || review?.verdict !== "fail") return verdict;
  return { ...failed(refusalReason(review)), review };
}

function failed(reason: string, verification: Verification | null = "failed"): Verdict {
  return { name: "failed", verification, reason };
}

/** Returns the verdicts that do not depend on verification; null if verification decides. */
function beforeVerification(facts: JudgeFacts): Verdict | null {
  const { result, claims, work, configured, completion, allowNoChange } = facts;
  const claimed = claims.done && !claims.failed;
  if (result.error) {
    const reason = `the agent ended with an error: ${describe(result)}`;
    return { name: "error", verification: null, reason };
  }
  if (claims.failed) return failed(`${gaveUp}${claims.report ? `: ${claims.report.whyFailed}` : ""}`, null);
  if (work.forbidden) return failed(work.forbidden, null);
  if (!claimed && (completion === "signal" || !configured)) {
    const reason = claims.ignoredSigil ?? "the agent ended without claiming that the task is done";
    return { name: "no_sigil", verification: null, reason };
  }
  return work.changed || allowNoChange ? null : failed(noChange(work, claimed), "no_change");
}

/** The end of the reason of an attempt whose work verification itself changed, under `strict` and `clean`. */
export const notAsRead = " changed during verification: the finished work is not what the first command read";

/** Returns what a person can do who wants the changes for which `verifyGuard` failed an attempt; null: none of them did. */
export function wayOutOfGuard({ reason }: Pick<Outcome, "reason">, taskId: string): string | null {
  if (!isGuardRefusal(reason) && !reason.endsWith(notAsRead)) return null;
  return `if you want its changes to what verifies it, run: ralph task retry ${taskId}, then RALPH_VERIFY_GUARD=report ralph run ${taskId}`;
}

function byVerification(facts: JudgeFacts): Verdict {
  const { checks, configured, guardWarnings = [] } = facts;
  if (!configured) {
    const reason = "claimed by the agent; no verification is configured";
    return { name: "done", verification: "unverified", reason };
  }
  const check = failedCheck(checks);
  if (check)
    return failed(
      `verification failed${asBefore(check, facts)}: ${check.command}: ${check.reason}${withoutChanges(facts)}`,
    );
  if (checks.length === 0) return failed("verification was not run");
  const [weakened, ...more] = guardWarnings;
  const others = more.length > 0 ? `, and ${more.length} more` : "";
  if (weakened) return failed(`${changedVerification}${weakened}${others}`);
  if (facts.otherWork) return failed(facts.otherWork);
  const commands = checks.length === 1 ? "1 command" : `${checks.length} commands`;
  const { noChangeNeeded } = facts.claims;
  const why = facts.work.changed ? null : noChangeNeeded;
  const reason = why === null ? `verified by ${commands}` : `${doneWithoutChange}${why}`;
  return { name: "done", verification: "passed", reason };
}

/** Says which of its changes the attempt was verified without. */
function withoutChanges({ usedAsBefore = [] }: JudgeFacts): string {
  if (usedAsBefore.length === 0) return "";
  return ` (with ${nameSome(usedAsBefore)} as before the attempt: verification does not use changes to what defines it)`;
}

/** Says of a failure that it is not of the attempt's making. */
function asBefore(check: CheckResult, { failedBefore }: JudgeFacts): string {
  const same = failedBefore && signatureOfCheck(failedBefore) === signatureOfCheck(check);
  return same ? " as it did before the attempt" : "";
}

/** Returns the signature (FAIL-5) of an attempt that fails by this command. */
export function signatureOfCheck(check: CheckResult): SafeText {
  // The command is not part of it: the same error can occur in another task with another command.
  return errorSignature(categoryOfCheck(check), check.excerpt || `${check.command}\n${check.reason}`);
}

function categoryOfCheck({ command, reason, excerpt }: CheckResult): SafeText {
  const text = `${reason}\n${excerpt}`;
  return fixed(/^timed out/.test(reason) ? "timeout" : classify({ command, text }));
}

function failedCheck(checks: readonly CheckResult[]): CheckResult | undefined {
  return checks.find((check) => !check.passed);
}

function describe({ error, exitCode, signal }: AgentResult): string {
  const message = error?.message.trim();
  if (message) return message;
  if (signal) return `${error?.kind} (${signal})`;
  return exitCode ? `${error?.kind} (exit code ${exitCode})` : `${error?.kind}`;
}

type ErrorFacts = Pick<Outcome, "errorType" | "category" | "signature" | "errorExcerpt">;

/** Returns the facts of FAIL-2 about a failed attempt, from verification's output or else the agent's message. */
function errorFacts(facts: JudgeFacts, verdict: Verdict): ErrorFacts {
  if (verdict.review) return refusalFacts(verdict.review);
  if (verdict.name === "done") return { errorType: null, category: null, signature: null, errorExcerpt: "" };
  const { result, claims } = facts;
  const check = verdict.verification === "failed" ? failedCheck(facts.checks) : undefined;
  const agentText = claims.report?.stackTrace || withoutSigils(redactedText(result.finalMessage)).trim();
  const errorText = result.error
    ? [ownWords(result.error.message, result.stderrTail), result.stderrTail, result.finalMessage].join("\n")
    : agentText;
  const errorExcerpt = check?.excerpt ?? refusals(facts, verdict) ?? extractError(redactedText(errorText));
  const category = categoryOf(facts, { check, errorExcerpt });
  // An agent's message is never the same twice; the verdict's reason is.
  const signature = check
    ? signatureOfCheck(check)
    : errorSignature(category, claims.report?.stackTrace || verdict.reason);
  const isKnown = check !== undefined || category === "timeout";
  const errorType = isKnown ? errorTypeOf(category) : result.error ? "tool_error" : "unknown";
  return { errorType, category, signature, errorExcerpt };
}

/** Returns what an attempt whose commands passed failed for, where the reason names only the first; its message states no error. */
function refusals(
  { checks, guardWarnings = [] }: JudgeFacts,
  { verification }: Verdict,
): RedactedText | undefined {
  if (verification !== "failed" || checks.length === 0) return undefined;
  return redactedText(guardWarnings.length > 1 ? guardWarnings.join("\n") : "");
}

/** The size of the column. */
const categoryChars = 60;
const outOfTime: ReadonlySet<AgentErrorKind> = new Set<AgentErrorKind>(["timeout", "idle"]);

interface ErrorFound {
  readonly check: CheckResult | undefined;
  readonly errorExcerpt: string;
}

function categoryOf({ result, claims }: JudgeFacts, { check, errorExcerpt }: ErrorFound): SafeText {
  if (check) return categoryOfCheck(check);
  if (result.error && outOfTime.has(result.error.kind)) return fixed("timeout");
  const reported = safeLine(claims.report?.errorCategory ?? "", categoryChars);
  if (reported !== "" && reported !== "unknown") return reported;
  return fixed(classify({ command: null, text: errorExcerpt }));
}
