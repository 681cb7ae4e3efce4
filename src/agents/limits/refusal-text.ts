import type { AgentError } from "../port/agent.ts";
import type { AgentOutput } from "../port/session-stream.ts";
import { kindOfMessage, readLimit } from "./error-kind.ts";

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

/** A final message that is longer says more than a limit. */
const maxLimitChars = 4000;
const maxLimitLines = 3;

/** Marks before the words: `■`, `✗`, `⎿`, `ERROR:`, a time in brackets. Not quotes or list marks: they begin other texts. */
const limitMarks =
  /^(?:\[[^\]]{0,40}\]|[\s\p{So}]|\uFE0F|(?:error|fatal|claude|codex|codex error|api error)\s?:(?!\s?\d{3}\b))*/iu;

/** The required end of the refusal: prose such as "You've hit your limit is what the page shows" continues there. */
const end = String.raw`(?=\s*(?:$|[.…·∙•|,:;!(]))`;
const status = String.raw`[1-5]\d\d(?= ?(?:$|[{·.(|]|overloaded|too many|unauthorized|forbidden|internal|bad gateway|service))`;

/** The first words of refusals by agents and model providers. */
const refusals: readonly RegExp[] = [
  String.raw`you(?:['’]ve| have) (?:hit|reached|exceeded|exhausted) your (?:[\w.'’-]+ ){0,4}(?:limits?|quota)(?: (?:for|on) (?:this )?[\w.-]+?)?${end}`,
  `you['’]re out of (?:extra usage|codex messages|credits)${end}`,
  `your workspace is out of credits${end}`,
  `claude (?:ai |max |pro |code )?usage limit reached${end}`,
  String.raw`(?:\w+ )?limit reached for (?:the )?\d+[ -]?(?:hours?|days?|weeks?)${end}`,
  String.raw`(?:\w[\w.-]* ){0,3}limit reached(?: [·∙•|]|[.!]?$)`,
  `(?:sorry, )?you(?:['’]ve| have) hit (?:a|your) rate limit(?: that restricts|${end})`,
  `(?:sorry, )?your request was rate-limited${end}`,
  "this request would exceed your (?:account['’]s |organization['’]s )?rate limit",
  String.raw`exceeded retry limit, last status: \d{3}`,
  `api error:? \\(?${status}`,
  String.raw`request rejected \(\d{3}\)`,
  "server is temporarily limiting requests",
  String.raw`(?:429 )?rate limit reached for (?:(?:model )?\S+ in organization|requests)`,
  `(?:http )?429:? too many requests${end}`,
  "you exceeded your current quota,? please",
  "resource has been exhausted",
  `unable to connect to api${end}`,
  `connection error[.]?$`,
  "stream disconnected before completion: ",
  String.raw`unexpected status \d{3} [\w ]{2,30}:`,
  `selected model is at capacity${end}`,
  `(?:your )?credit balance (?:is )?too low(?: to access|${end})`,
  `invalid (?:x-)?api key${end}`,
  `not logged in${end}`,
  `your access token could not be refreshed(?: because|${end})`,
  `failed to refresh token${end}`,
  String.raw`\{\s*"(?:type"\s*:\s*"error"|error"\s*:\s*\{)`,
].map((pattern) => new RegExp(`^${pattern}`, "i"));

/** A sigil: the agent did report on its task. */
const tag = /<\/?[a-z][\w-]*[\s>]/i;

/**
 * Returns `message` without its leading limitMarks if it is nothing but a limit text; undefined if it says anything
 * else. Quotes of a limit, and prose that mentions one, are not limit texts.
 */
function onlyLimitText(message: string): string | undefined {
  const text = message.trim();
  if (text.length > maxLimitChars || tag.test(text)) return undefined;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length > maxLimitLines) return undefined;
  const bare = lines.join("\n").replace(limitMarks, "");
  const [first = ""] = bare.split("\n");
  return refusals.some((refusal) => refusal.test(first)) ? bare : undefined;
}
