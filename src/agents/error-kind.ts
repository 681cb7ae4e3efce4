import type { AgentErrorKind } from "./agent.ts";

/** First match wins: out of credit is often told with the status of a rate limit. */
const wordings: readonly (readonly [AgentErrorKind, RegExp])[] = [
  [
    "credit",
    /credit balance|insufficient[_ ]quota|out of credits?|spend(ing)? limit|plan and billing details/i,
  ],
  [
    "auth",
    /not logged in|\/login|invalid (x-)?api[ -]key|incorrect api key|unauthori[sz]ed|authenticat|\b401\b/i,
  ],
  [
    "rate_limit",
    /\b429\b|rate[ _-]?limit|too many requests|(usage|weekly|hour|session) limit|limit reached/i,
  ],
  [
    "overloaded",
    /\b(500|502|503|504|529)\b|overloaded|high demand|internal server error|service unavailable/i,
  ],
  [
    "network",
    /\bE(CONN\w+|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|PIPE)\b|stream disconnected|lookup address/i,
  ],
  ["network", /connection (dropped|reset|refused|error|closed)|socket hang up|fetch failed|network error/i],
];

/**
 * The kind of error that `message` tells of, or undefined. Only for the error path (an error event, stderr of an
 * agent that gave no result): the same words in an agent's work mean nothing.
 */
export function kindOfMessage(message: string): AgentErrorKind | undefined {
  return wordings.find(([, wording]) => wording.test(message))?.[0];
}

/** The kind of error that an HTTP status of the model's API stands for. */
export function kindOfStatus(status: number): AgentErrorKind | undefined {
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "credit";
  if (status === 404) return "not_found";
  if (status === 408) return "network";
  if (status === 429) return "rate_limit";
  return status >= 500 ? "overloaded" : undefined;
}
