import { looksLikePassword, looksRandom } from "./randomness.ts";
import type { Span } from "./span.ts";

/** How sure a name makes that its value is secret. */
type Weight = "password" | "secret" | "likely";

const passwordName = "passw(?:or)?d|passwd|passphrase|pwd";
const secretName =
  "secret|token|credential|(?:api|access|account|admin|app|auth|client|consumer|deploy|encryption|license|master|private|service|shared|signing|storage)[_. -]?key";
/** Vendors whose keys have no shape of their own, and names that are often harmless. */
const likelyName =
  "adafruit|algolia|asana|auth|beamer|bittrex|cloudflare|codecov|coinbase|cohere|confluent|contentful|datadog|discord|dropbox|facebook|fastly|finicity|finnhub|flickr|freshbooks|heroku|hubspot|intercom|key|kraken|kucoin|launchdarkly|linear|linkedin|looker|mailgun|mattermost|meraki|messagebird|netlify|nytimes|okta|openai|plaid|rapidapi|sendbird|sidekiq|sourcegraph|squarespace|sumo(?:logic)?|travis|trello|twitch|twitter|zendesk";
const name = new RegExp(`(${passwordName})|(${secretName})|(?:${likelyName})|contribsys__com`, "gi");

/**
 * What may stand between a name and its value: the rest of the name, quotes (also escaped), a type, an operator. All
 * bounded, so that trying it costs the same wherever it fails.
 */
const between =
  /[\w.-]{0,40}(?:\\{0,3}["'`])?\]?(?:[ \t]{0,8}(?:=>|[:?+.|]{0,3}=|:(?!\/\/))|[ \t]{0,4}:?[ \t]{1,4}[A-Za-z]{3,8}[ \t]{0,4}:?=|(?<=["'`])[ \t]{0,4},|\\{0,3}["'`]?[ \t]{1,4}value[ \t]{0,2}=|>)(?:[ \t]|\\[nrt]|\r?\n){0,24}/y;
/** `--token VALUE`, `password is VALUE`: no operator, so only a value that looks random counts. */
const spoken = /[\w-]{0,20}(?:[ \t]{1,3}(?:is|was)[ \t]{1,3}|[ \t]{1,3})/y;

const opening = /\\{0,3}["'`]/y;
/** As much of a value as its judgement needs; a longer one is then followed to its end. */
const judged = 160;
const quotedValue = /[^"'`\\\r\n]{1,160}/y;
const restOfQuoted = /[^"'`\\\r\n]+/y;
const bareValue = /[^\s"'`\\<>,;&|()[\]{}]{1,160}/y;
const restOfBare = /[^\s"'`\\<>,;&|()[\]{}]+/y;

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

interface Candidate {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

function valueAt(text: string, at: number): Candidate | undefined {
  const quote = matchAt(opening, text, at);
  const start = at + (quote?.length ?? 0);
  const pattern = quote ? quotedValue : bareValue;
  const value = matchAt(pattern, text, start);
  if (value === undefined) return undefined;
  // A bare value at the end of a sentence does not end with its full stop.
  const trimmed = quote ? value : value.replace(/[.:!?]{1,3}$/, "");
  return { value: trimmed, start, end: start + trimmed.length, quoted: quote !== undefined };
}

function endOf(text: string, { start, end, quoted }: Candidate): number {
  if (end - start < judged) return end;
  return end + (matchAt(quoted ? restOfQuoted : restOfBare, text, end)?.length ?? 0);
}

/** A call, an index or an interpolation goes on behind a bare value that is code. */
function isCode(text: string, { value, end, quoted }: Candidate): boolean {
  if (quoted) return false;
  return (
    /^[([]/.test(text.slice(end, end + 1)) ||
    /^(?:this|self|process|config|options?|await|new)\b[. ]/.test(value)
  );
}

const minimum: Readonly<Record<Weight, number>> = { password: 8, secret: 10, likely: 20 };

function isSecret(text: string, candidate: Candidate, weight: Weight): boolean {
  const { value, quoted } = candidate;
  if (isCode(text, candidate) || /\s/.test(value)) return false;
  if (weight === "password" && quoted && looksLikePassword(value)) return true;
  if (weight === "password" && !quoted && value.length >= 8 && looksLikePassword(value)) return true;
  return looksRandom(value, minimum[weight]);
}

function secretBehind(text: string, nameEnd: number, weight: Weight): Candidate | undefined {
  const link = matchAt(between, text, nameEnd);
  if (link !== undefined) {
    const candidate = valueAt(text, nameEnd + link.length);
    if (candidate && isSecret(text, candidate, weight)) return candidate;
  }
  if (weight === "likely") return undefined;
  const words = matchAt(spoken, text, nameEnd);
  const candidate = words === undefined ? undefined : valueAt(text, nameEnd + words.length);
  const least = weight === "password" ? minimum.password : 16;
  return candidate && !isCode(text, candidate) && looksRandom(candidate.value, least) ? candidate : undefined;
}

/** Whether a word, or a part of a camelCase one, starts at `at`: `key` in `apiKey`, not in `monkey`. */
function startsWord(text: string, at: number): boolean {
  const pair = text.slice(Math.max(0, at - 1), at + 1);
  return !/^[A-Za-z][a-z]|^[A-Z]{2}/.test(pair);
}

/** Whether what stands at `at` is the kind in a `[redacted:kind]`. */
function isMarker(text: string, at: number): boolean {
  return /\[redacted:[a-z0-9-]*$/.test(text.slice(Math.max(0, at - 30), at));
}

/** Values that the name before them gives away: `API_KEY=…`, `"password": "…"`, `<token>…</token>`. */
export function assignmentSpans(text: string): readonly Span[] {
  const found: Span[] = [];
  name.lastIndex = 0;
  for (let match = name.exec(text); match; match = name.exec(text)) {
    const weight: Weight = match[1] ? "password" : match[2] ? "secret" : "likely";
    const isNoName = isMarker(text, match.index) || (weight === "likely" && !startsWord(text, match.index));
    const secret = isNoName ? undefined : secretBehind(text, name.lastIndex, weight);
    if (!secret) continue;
    const end = endOf(text, secret);
    found.push({ start: secret.start, end, kind: weight === "password" ? "password" : "secret" });
    name.lastIndex = end;
  }
  return found;
}
