import { entryNamed, isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { apiFailure, contextFullHint } from "../formats/api-failure.ts";
import { kindOfMessage, kindOfStatus } from "../limits/error-kind.ts";
import { epochTime } from "../limits/reset-time.ts";
import type { AgentError, AgentErrorKind } from "../port/agent.ts";
import type { StreamReader } from "../port/session-stream.ts";

export const codexHints: StreamReader["hints"] = {
  auth: "Log in with `codex login`, or check the API key.",
  credit: "Add credit or raise the spend limit at the model's provider, then run ralph again.",
  not_found: "Check the name of the model: `--model`, or `agents.codex` in the configuration.",
  context_full: contextFullHint,
  prompt_too_long:
    "Split the task, or shorten its description and --spec; name files instead of quoting them.",
  unusable: "Check agents.codex.extraArgs and ~/.codex/config.toml, or update Codex.",
};

/** The classes of `codexErrorInfo`; those that have a status of the model's API are objects. */
const byClass: Readonly<Record<string, AgentErrorKind>> = {
  contextWindowExceeded: "context_full",
  sessionBudgetExceeded: "budget",
  usageLimitExceeded: "rate_limit",
  rateLimitExceeded: "rate_limit",
  flexUnavailable: "overloaded",
  serverOverloaded: "overloaded",
  policyCapacityUnavailable: "overloaded",
  internalServerError: "overloaded",
  modelNotFound: "not_found",
  unauthorized: "auth",
  tooManyDenials: "permission",
  sandboxError: "unusable",
};

/** Classifies the error of a turn: by its class first, its words last. `resetsAt`: when a used-up window reopens, epoch seconds. */
export function turnFailure(error: JsonObject, now: Date, resetsAt: number | null = null): AgentError {
  const message = wordsOf(error);
  const info = error["codexErrorInfo"];
  const kind =
    (typeof info === "string" ? entryNamed(byClass, info) : kindOfConnection(info)) ??
    kindOfMessage(message) ??
    "crash";
  return codexFailure(kind, message, now, resetsAt);
}

/** Returns an error with its limit, if it is one, and the person's next step. */
export function codexFailure(
  kind: AgentErrorKind,
  message: string,
  now: Date,
  resetsAt: number | null = null,
): AgentError {
  const failure = apiFailure(message, { kind, hints: codexHints, now });
  const stated = failure.kind === "rate_limit" && resetsAt !== null ? epochTime(resetsAt) : null;
  return { ...failure, resetAt: stated ?? failure.resetAt };
}

/** `{ httpConnectionFailed: { httpStatusCode } }`, for example: the status is the cause, the connection the symptom. */
function kindOfConnection(info: JsonValue | undefined): AgentErrorKind | undefined {
  if (!isObject(info)) return undefined;
  const [details] = Object.values(info);
  const status = isObject(details) ? details["httpStatusCode"] : undefined;
  return (typeof status === "number" ? kindOfStatus(status) : undefined) ?? "network";
}

/** A retry is announced by "Reconnecting... 1/5"; its reason is in `additionalDetails`. */
function wordsOf({ message, additionalDetails }: JsonObject): string {
  const stated = typeof message === "string" && message !== "" ? message : "Codex gave no reason";
  const why = typeof additionalDetails === "string" ? additionalDetails : "";
  return /^reconnecting/i.test(stated) && why !== "" ? why : stated;
}

/** Returns when a used-up window of `account/rateLimits/updated` reopens, epoch seconds; null: none is used up. */
export function reopensAt(limits: JsonValue | undefined): number | null {
  const windows = isObject(limits) ? [limits["primary"], limits["secondary"]] : [];
  const usedUp = windows
    .filter(isObject)
    .filter(({ usedPercent: used }) => typeof used === "number" && used >= 100);
  const resets = usedUp.map(({ resetsAt }) => resetsAt).filter((at) => typeof at === "number");
  return resets.length === 0 ? null : Math.max(...resets);
}
