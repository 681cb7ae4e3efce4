import type { AgentError } from "../port/agent.ts";
import type { AgentOutput } from "../port/session-stream.ts";
import { kindOfMessage, readLimit } from "./error-kind.ts";
import { onlyLimitText } from "./limit-text.ts";

/** Agents print the reason last; earlier lines are their work. */
const maxStderrLines = 6;
/** A refused agent prints only the refusal. */
const maxAnswerLines = 3;

/** Marks before the words: `■`, `✗`, `⎿`, `ERROR:`, a time in brackets. */
const errorMarks = /^(?:\[[^\]]{0,40}\]|[^\p{L}]|(?:error|fatal|claude|codex)\s?:)*/iu;

/**
 * The first words of agents' own refusals. A status or "rate limit" elsewhere in a line does not count: tests,
 * dependencies and explanations contain those too.
 */
const refusalOpenings: readonly RegExp[] = [
  /^you(?:['’]ve| have) (?:hit|reached|exceeded|exhausted) your /i,
  /^you['’]re out of (?:extra usage|codex messages|credits)/i,
  /^claude (?:ai |max |code )?usage limit reached/i,
  /^(?:[\w.-]+ ){0,3}limit reached [·∙•|]/i,
  /^(?:sorry, )?you(?:['’]ve| have) hit a rate limit/i,
  /^(?:sorry, )?your request was rate-limited/i,
  /^exceeded retry limit, last status: /i,
  /^api error\b/i,
  /^unable to connect to api\b/i,
  /^stream disconnected before completion/i,
  /^unexpected status \d{3}\b/i,
  /^selected model is at capacity/i,
  /^(?:your )?credit balance (?:is )?too low/i,
  /^invalid (?:x-)?api key\b/i,
  /^not logged in\b/i,
  /^your access token could not be refreshed/i,
  /^failed to refresh token/i,
];

/**
 * Returns why an agent could not work: from the last lines of its stderr, or from a message or stdout that is nothing but
 * the refusal. Null if neither is a refusal by the agent itself.
 */
export function refusalIn({ stderr, finalMessage, isFinal, now }: AgentOutput): AgentError | null {
  const answer = linesOf(finalMessage);
  const message =
    refusalFrom(linesOf(stderr).slice(-maxStderrLines)) ??
    (!isFinal && answer.length <= maxAnswerLines ? refusalFrom(answer) : undefined) ??
    onlyLimitText(finalMessage);
  const kind = message === undefined ? undefined : kindOfMessage(message);
  if (message === undefined || kind === undefined) return null;
  return { message, hint: null, ...readLimit({ kind, message }, now), byWords: true };
}

function refusalFrom(lines: readonly string[]): string | undefined {
  const bare = lines.map((line) => line.replace(errorMarks, ""));
  const from = bare.findIndex((line) => refusalOpenings.some((opening) => opening.test(line)));
  return from === -1 ? undefined : bare.slice(from).join("\n");
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
