import type { AgentErrorKind } from "../port/agent.ts";
import type { StatedLimit } from "../port/session-stream.ts";
import { resetTime } from "./reset-time.ts";

/** The first match wins: out of credit often has the status of a rate limit, and a limit may include a hint to log in. */
const messagePatterns: readonly (readonly [AgentErrorKind, RegExp])[] = [
  [
    "context_full",
    /prompt is too long|request[ _]too[ _]large|ran out of room in the model|context[ _](length|window)[ _](is )?(exceeded|full)|ContextOverflow|(maximum|exceeds? the( model's)?|larger than the) context|exceeds? the maximum (number of )?(input )?tokens|input (is too long|length and .max_tokens. exceed)/i,
  ],
  [
    "credit",
    /credit balance|insufficient[_ ]quota|out of (credits?|extra usage)|spend(ing)? limit|plan and billing details|your specified (workspace )?API usage limits|org(anization)?'s monthly usage limit|insufficient balance|payment required/i,
  ],
  [
    "rate_limit",
    /(?<![\w@/-])rate[ _-]limit|RateLimitError|too many requests|(usage|weekly|hour|session) limit|limit reached|(hit|reached) your ([\w.-]+ ){0,3}limit|out of codex messages|quota (exceeded|exhausted)|(exceeded|exhausted|reached) your ([\w-]+ ){0,3}quota|resource[ _](has been )?exhausted/i,
  ],
  [
    "auth",
    /not logged in|\/login|invalid (x-)?api[ -]key|(incorrect|wrong|missing|no|expired) api[ -]?key|api[ -]?key (is )?(not (valid|found|set|configured)|missing|expired|invalid)|missing environment variable|unauthori[sz]ed|unauthenticated|not authenticated|invalid auth method|set an auth method|authentication[ _](error|failed|required)|failed to authenticate|OAuth token (has expired|revoked)|token could not be refreshed|failed to refresh token|(sign|log) ?in again/i,
  ],
  [
    "not_found",
    /model_not_found|ModelNotFound|\bmodels?\b.{1,100}\b(does not exist|is not (found|available|supported))|unknown model|\bmodel not found/i,
  ],
  ["unusable", /this client is no longer supported/i],
  ["bad_output", /max_output_tokens|maximum output tokens|output token (limit|maximum)/i],
  [
    "overloaded",
    /overloaded|high demand|at capacity|internal server error|service (is )?(temporarily )?unavailable|bad gateway|the server had an error|internal error has occurred|upstream request failed/i,
  ],
  [
    "network",
    /\bE(CONN\w+|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)\b|stream disconnected|lookup address|error sending request/i,
  ],
  [
    "network",
    /^terminated$|other side closed|premature close|UND_ERR_(SOCKET|CONNECT)\w*|connection (dropped|reset|refused|error|closed)|ConnectionRefused|unable to connect|socket hang up|fetch failed|network error|request timed out/i,
  ],
];

/** A status of the model's API, named as one: other numbers (token counts, request ids) do not count. */
const status = /(?:\b(?:error|status|code|http)\W{1,3}|rejected \(|\()([45]\d\d)\b|^([45]\d\d)\b/i;

/**
 * Classifies the error described by `message`; undefined if unknown. Only for the error path (an error event, stderr of
 * an agent without a result): the same words within an agent's work are not an error.
 */
export function kindOfMessage(message: string): AgentErrorKind | undefined {
  const [, named, leading] = status.exec(message) ?? [];
  const word = messagePatterns.find(([, wording]) => wording.test(message))?.[0];
  // "stream disconnected before completion: 401 …": the status is the cause, the words only the symptom.
  const figure = kindOfStatus(Number(named ?? leading ?? 0));
  return word === undefined || word === "network" ? (figure ?? word) : word;
}

/** Returns the kind of error of an HTTP status of the model's API. */
export function kindOfStatus(status: number): AgentErrorKind | undefined {
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "credit";
  if (status === 404) return "not_found";
  if (status === 408) return "network";
  if (status === 413) return "context_full";
  if (status === 429) return "rate_limit";
  return status >= 500 ? "overloaded" : undefined;
}

const dayMs = 86_400_000;
/** No plan's window exceeds a week; credit that returns later needs a person. */
const maxWindowMs = 8 * dayMs;
/** An agent may end this long after the refusal: a time of day that has just passed is not tomorrow's. */
const pastToleranceMs = 120_000;

/**
 * Reads from an error's words until when to wait, and for which models. Out of credit with a
 * window that reopens within 8 days ("You've hit your monthly spend limit · your session limit resets 2:40pm") is
 * a limit to wait for. `zone`: the zone of times that name none.
 */
export function readLimit(
  { kind, message }: { readonly kind: AgentErrorKind; readonly message: string },
  now: Date,
  zone?: string,
): StatedLimit {
  if (kind !== "rate_limit" && kind !== "credit") return { kind, resetAt: null, limitedModel: null };
  const resetAt = endOf(message, now, zone);
  const opensSoon = resetAt !== null && Date.parse(resetAt) - now.getTime() <= maxWindowMs;
  if (kind === "credit" && !opensSoon) return { kind, resetAt: null, limitedModel: null };
  return { kind: "rate_limit", resetAt, limitedModel: modelNamedIn(message) };
}

function endOf(message: string, now: Date, zone: string | undefined): string | null {
  const stated = resetTime(message, now, zone);
  const statedEarlier = resetTime(message, new Date(now.getTime() - pastToleranceMs), zone);
  if (stated === null || statedEarlier === null) return stated;
  return Date.parse(stated) - Date.parse(statedEarlier) > dayMs / 2 ? statedEarlier : stated;
}

/** "You've hit your Opus limit", "Opus weekly limit reached": the other models still work. */
function modelNamedIn(message: string): string | null {
  const name = /\b(opus|sonnet|haiku|fable)(?: [\d.]+)?(?: weekly)? (?:usage )?limit\b/i.exec(message)?.[1];
  return name?.toLowerCase() ?? null;
}
