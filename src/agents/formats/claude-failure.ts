import { entryNamed, type JsonObject, shownValue } from "../../base/json.ts";
import { kindOfMessage, kindOfStatus, readLimit } from "../limits/error-kind.ts";
import { refusalIn } from "../limits/refusal-text.ts";
import { epochTime } from "../limits/reset-time.ts";
import type { AgentError, AgentErrorKind } from "../port/agent.ts";
import type { AgentOutput, StatedLimit } from "../port/session-stream.ts";
import { contextFullHint } from "./api-failure.ts";

export interface ClaudeFailureFacts {
  /** `assistant.error`. */
  readonly errorClass: string | null;
  /** Epoch seconds, from `rate_limit_event`. */
  readonly resetsAt: number | null;
  /** `five_hour`, `seven_day`, `seven_day_opus`, …, from `rate_limit_event`. */
  readonly limitType: string | null;
  readonly now: Date;
}

const bySubtype: Readonly<Record<string, AgentErrorKind>> = {
  error_max_turns: "max_turns",
  error_max_budget_usd: "budget",
};

const byApiError: Readonly<Record<string, AgentErrorKind>> = {
  connection_failed: "network",
  usage_limit_reached: "rate_limit",
  max_output_tokens: "bad_output",
};

const byClass: Readonly<Record<string, AgentErrorKind>> = {
  authentication_failed: "auth",
  billing_error: "credit",
  oauth_org_not_allowed: "auth",
  rate_limit: "rate_limit",
  overloaded: "overloaded",
  model_not_found: "not_found",
  server_error: "overloaded",
  max_output_tokens: "bad_output",
};

/** The person's next step by the kind of error. */
export const claudeHints: Readonly<Partial<Record<AgentErrorKind, string>>> = {
  auth: "Log in with `claude /login` (or `claude setup-token` on a machine without a browser), or check ANTHROPIC_API_KEY.",
  permission:
    "Run ralph as another user, choose a lower permission than `bypass` (`shell` allows any command), or, in a disposable container, set IS_SANDBOX=1.",
  unusable: "Check agents.claude.extraArgs, or update Claude Code: claude update.",
  not_found: "Check the name of the model: `--model`, or `agents.claude` in the configuration.",
  prompt_too_long:
    "Split the task, or shorten its description and --spec; name files instead of quoting them.",
  context_full: contextFullHint,
  credit: "Add credit or raise the spend limit in the Anthropic console, then run ralph again.",
};

/** Messages that Claude Code prints on stderr only, before any result: the first match wins. */
const byStderr: readonly (readonly [AgentErrorKind, RegExp])[] = [
  ["permission", /cannot be used with root\/sudo/i],
  ["prompt_too_long", /input exceeds 10MB/i],
  [
    "unusable",
    /^error: (input must be provided|session id \S+ is already in use|when using .{1,200} requires )/im,
  ],
  ["unusable", /^error: (unknown option|unknown command|option .{1,200} argument .{1,200} is invalid)/im],
];

/** Returns the error of a session without a result, if it is a known one. */
export function refusalFromClaude(words: AgentOutput): AgentError | null {
  const message = words.stderr.trim();
  const known = byStderr.find(([, wording]) => wording.test(message))?.[0];
  if (known) return { kind: known, message, resetAt: null, hint: hintFor(known) };
  const refusal = refusalIn(words);
  if (refusal) return { ...refusal, hint: hintFor(refusal.kind) };
  const kind = kindOfMessage(message);
  return kind === "auth" || kind === "credit" ? { kind, message, resetAt: null, hint: hintFor(kind) } : null;
}

/** Classifies the error of a `result` event with `is_error`: by its structured fields first, its words last. */
export function claudeFailure(event: JsonObject, facts: ClaudeFailureFacts): AgentError {
  const message = messageOf(event);
  const reported = { kind: kindOf(event, facts.errorClass, message), message };
  const { kind, resetAt, limitedModel } = readLimit(reported, facts.now);
  const stated = kind === "rate_limit" ? statedLimit(facts) : null;
  return {
    kind,
    message,
    resetAt: stated?.resetAt ?? resetAt,
    limitedModel: stated?.limitedModel ?? limitedModel,
    hint: hintFor(kind),
  };
}

/** Returns the limit stated by `rate_limit_event`. */
export function statedLimit({
  resetsAt,
  limitType,
}: Pick<ClaudeFailureFacts, "resetsAt" | "limitType">): Pick<StatedLimit, "resetAt" | "limitedModel"> {
  return { resetAt: resetsAt === null ? null : epochTime(resetsAt), limitedModel: modelOf(limitType) };
}

function modelOf(limitType: string | null): string | null {
  return /^seven_day_(opus|sonnet|haiku)$/.exec(limitType ?? "")?.[1] ?? null;
}

function hintFor(kind: AgentErrorKind): string | null {
  return claudeHints[kind] ?? null;
}

function kindOf(event: JsonObject, errorClass: string | null, message: string): AgentErrorKind {
  const subtype = event["subtype"];
  const stopped = entryNamed(bySubtype, subtype);
  if (stopped) return stopped;
  if (subtype === "error_during_execution") {
    if (/^no conversation found/i.test(message)) return "unusable";
    return shownValue(event["terminal_reason"]).startsWith("aborted") ? "killed" : "crash";
  }
  const words = kindOfMessage(message);
  // Neither has its own status: a low balance arrives as 400, a dropped connection as a server error.
  if (words === "credit" || words === "network" || words === "context_full") return words;
  const status = event["api_error_status"];
  return (
    entryNamed(byApiError, event["api_error"]) ??
    (typeof status === "number" ? kindOfStatus(status) : undefined) ??
    entryNamed(byClass, errorClass) ??
    words ??
    "crash"
  );
}

function messageOf(event: JsonObject): string {
  const { result, errors } = event;
  if (typeof result === "string" && result !== "") return result;
  if (Array.isArray(errors)) return errors.filter((error) => typeof error === "string").join("\n");
  return `Claude Code ended with ${shownValue(event["subtype"]) || "an error"}`;
}
