import type { AgentError } from "../agent.ts";
import { kindOfMessage, readLimit } from "./error-kind.ts";
import { onlyLimitText } from "./limit-text.ts";

/** What a session left that may say why it could not work. */
export interface AgentOutput {
  readonly stderr: string;
  /** The final message so far; of text agents the whole of stdout. */
  readonly finalMessage: string;
  /** The agent ended its turn with `said`, so it counts only if all of it is a limit text. */
  readonly isFinal: boolean;
  readonly now: Date;
}

/** Agents name the reason last; what stands further up is their work. */
const maxStderrLines = 6;
/** An agent that is refused prints the refusal and nothing else. */
const maxAnswerLines = 3;

/** Marks before the words: `■`, `✗`, `⎿`, `ERROR:`, a time in brackets. */
const errorMarks = /^(?:\[[^\]]{0,40}\]|[^\p{L}]|(?:error|fatal|claude|codex)\s?:)*/iu;

/**
 * How agents begin to say, in their own name, that they cannot go on. A status or "rate limit" somewhere in a line is
 * not among them: tests, dependencies and explanations have those too.
 */
const refusalOpenings: readonly RegExp[] = [
  /^you(?:['’]ve| have) (?:hit|reached|exceeded) your /i,
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
 * Why an agent could not work: from the last lines of its stderr, or from a message or stdout that is nothing but the
 * refusal. Null when neither states a refusal in the agent's own name.
 */
export function refusalIn({ stderr, finalMessage: said, isFinal, now }: AgentOutput): AgentError | null {
  const answer = linesOf(said);
  const message =
    refusalFrom(linesOf(stderr).slice(-maxStderrLines)) ??
    (!isFinal && answer.length <= maxAnswerLines ? refusalFrom(answer) : undefined) ??
    onlyLimitText(said);
  const kind = message === undefined ? undefined : kindOfMessage(message);
  if (message === undefined || kind === undefined) return null;
  return { message, hint: null, ...readLimit({ kind, message }, now) };
}

function refusalFrom(lines: readonly string[]): string | undefined {
  const bare = lines.map((line) => line.replace(errorMarks, ""));
  const from = bare.findIndex((line) => refusalOpenings.some((opening) => opening.test(line)));
  return from === -1 ? undefined : bare.slice(from).join("\n");
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
