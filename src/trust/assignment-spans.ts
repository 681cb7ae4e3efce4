import { isName, looksLikePassphrase, looksLikePassword, looksRandom } from "./randomness.ts";
import type { SecretSpan } from "./secret-span.ts";

/** How strongly a name indicates that its value is secret. */
type Weight = "password" | "secret" | "likely";

const passwordName = "passw(?:or)?d|passwd|passphrase|pwd";
const secretName =
  "secret|token|credential|contribsys__com|sumo(?:logic)?[_. -]?access[_. -]?id|(?:api|access|account|admin|app|auth|client|consumer|deploy|encryption|license|master|private|service|shared|signing|storage)[_. -]?key";
/** Vendors whose keys have no distinctive shape, and names that are often harmless. */
const likelyName =
  "adafruit|algolia|asana|auth|beamer|bittrex|cloudflare|codecov|coinbase|cohere|confluent|contentful|datadog|discord|dropbox|facebook|fastly|finicity|finnhub|flickr|freshbooks|heroku|hubspot|intercom|key|kraken|kucoin|launchdarkly|linear|linkedin|looker|mailgun|mattermost|meraki|messagebird|netlify|nytimes|okta|openai|plaid|rapidapi|sendbird|sidekiq|sourcegraph|squarespace|sumo(?:logic)?|travis|trello|twitch|twitter|zendesk";
const name = new RegExp(`(${passwordName})|(${secretName})|(?:${likelyName})`, "gi");

/** The rest of a name. What follows it is searched apart: no shorter rest would have another link behind it. */
const restOfName = /[\w.-]{0,40}/y;
/**
 * The text allowed between a name and its value: quotes (also escaped), a type, an operator. All repetitions are bounded,
 * so that a failed match has a bounded cost.
 */
const between =
  /(?:\\{0,3}["'`])?\]?(?:[ \t]{0,8}(?:=>|[:?+.|]{0,3}=|:(?!\/\/))|[ \t]{0,4}:?[ \t]{1,4}[A-Za-z]{3,8}[ \t]{0,4}:?=|(?<=["'`])[ \t]{0,4},|\\{0,3}["'`]?[ \t]{1,4}value[ \t]{0,2}=|>)(?:[ \t]|\\[nrt]|\r?\n){0,24}/y;
/** `--token VALUE`, `password is VALUE`: no operator, so only a value that looks random counts. */
const spoken = /[\w-]{0,20}(?=[ \t])(?:[ \t]{1,3}(?:is|was)[ \t]{1,3}|[ \t]{1,3})/y;

const opening = /\\{0,3}["'`]/y;
/** The characters of a value that are examined; the end of a longer one is found separately. */
const examinedChars = 160;
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

const stops: Readonly<Record<string, RegExp>> = { '"': /["\r\n]/g, "'": /['\r\n]/g, "`": /[`\r\n]/g };

/**
 * Returns the end of the text in quotes from `from` on; undefined if its line ends first. Quotes with more backslashes than
 * the opening one are part of the text.
 */
function closingQuote(text: string, from: number, quote: string): number | undefined {
  const depth = quote.length - 1;
  const stop = stops[quote.slice(depth)];
  if (!stop) return undefined;
  stop.lastIndex = from;
  for (let match = stop.exec(text); match; match = stop.exec(text)) {
    if (/[\r\n]/.test(match[0])) return undefined;
    let start = match.index;
    while (start > from && text[start - 1] === "\\") start--;
    const slashes = match.index - start;
    if (slashes <= depth) return start;
    // An even number of them escapes only themselves.
    if (depth === 0 && slashes % 2 === 0) return match.index;
  }
  return undefined;
}

function valueAt(text: string, at: number): Candidate | undefined {
  const quote = matchAt(opening, text, at);
  const start = at + (quote?.length ?? 0);
  const close = quote === undefined ? undefined : closingQuote(text, start, quote);
  if (close !== undefined) {
    const value = text.slice(start, Math.min(close, start + examinedChars));
    return value === "" ? undefined : { value, start, end: close, quoted: true };
  }
  const value = matchAt(bareValue, text, start);
  if (value === undefined) return undefined;
  // A full stop after a bare value belongs to the sentence.
  const trimmed = value.replace(/[.:!?]{1,3}$/, "");
  return { value: trimmed, start, end: start + trimmed.length, quoted: false };
}

/** The rest of a bare value behind a separator that may also end it: not when another name and value follow (`&user=x`). */
const separated = /(?:,|&(?!&))(?!(?:amp;)?[\w.%-]+[=:])[^\s"'`\\<>,;&|()[\]{}]+/y;
/** Text before a name that begins its line, as in a `.env` file, YAML and INI. */
const lineStart = /(?:^|\n)[ \t]{0,40}(?:- |export |set |env )?[\w.-]{0,60}$/;
const restOfLine = /[^\s]{1,500}(?=\s*(?:[\r\n]|$))/y;
/** The end of a value within a line: a shell operator, an escaped line end, the next assignment, an end mark. */
const endInLine = /&&|\|\||\\[nrt]|\[redacted:|[;,&](?:amp;)?[\w.%-]+[=:]|[;,"'`)\]}>]+$/;

/** Between two pieces of one value: a shell's `'a'\\''b'` and `"a"'b'`, YAML's `'a''b'`, and `"a" + "b"` or `"a" . "b"` of languages. */
const joint =
  /["'`](?:\\["'`])?["'`](?=[^\s"'`,;:)\]}])|["'`][ \t]{0,8}(?:\+|\.{1,2})\s{0,40}["'`](?=[^\s"'`])/y;
const maxPieces = 20;

/** Returns the end of a value in quotes, the first of which end at `end`, with the pieces that are joined to it. */
function endOfPieces(text: string, end: number): number {
  let last = end;
  for (let piece = 0; piece < maxPieces; piece++) {
    const joined = matchAt(joint, text, last);
    if (joined === undefined) return last;
    const close = closingQuote(text, last + joined.length, joined.slice(-1));
    if (close === undefined) return last;
    last = close;
  }
  return last;
}

/** The continuation of a bare value behind an escaped blank or line end, as in a shell. */
const escapedRest = /(?:\\(?: |\r?\n)[^\s"'`\\<>,;&|()[\]{}]{1,160}){1,20}/y;

function endOf(text: string, candidate: Candidate, { nameAt, weight }: Named): number {
  const { start, end, quoted } = candidate;
  if (quoted) return endOfPieces(text, end);
  if (weight === "password" && lineStart.test(text.slice(Math.max(0, nameAt - 120), nameAt))) {
    const rest = matchAt(restOfLine, text, end);
    if (rest !== undefined) return end + (endInLine.exec(rest)?.index ?? rest.length);
  }
  let last = end - start < examinedChars ? end : end + (matchAt(restOfBare, text, end)?.length ?? 0);
  for (let more = matchAt(separated, text, last); more; more = matchAt(separated, text, last))
    last += more.length;
  return last + (matchAt(escapedRest, text, last)?.length ?? 0);
}

interface Named {
  readonly nameAt: number;
  readonly weight: Weight;
}

/** Checks whether a bare value is code: a call, an index or a member access. */
function isCode(text: string, { value, end, quoted }: Candidate): boolean {
  if (quoted) return false;
  const open = text[end];
  // Passwords contain brackets too, but rarely both of a pair.
  if (open === "(" || open === "[")
    return (
      /^[A-Za-z_$][\w$.:]*$/.test(value) && matchAt(open === "(" ? call : index, text, end) !== undefined
    );
  return /^(?:this|self|process|config|options?|await|new)\b[. ]/.test(value);
}
const call = /\((?:\s|$)|\([^\n]{0,300}?[) \t]/y;
const index = /\[(?:\s|$)|\[[^\n]{0,300}?[\] \t]/y;

/**
 * The beginning of a token that has at least 40 secret characters behind it: the header of a JWT; a service account of
 * 1Password, a fine-grained token of GitHub, a key of Anthropic.
 */
const beginning =
  /^(?:eyJ(?:hbGci|0eXAi|raWQi)[\w-]{0,60}|(?:ops_eyJ|github_pat_|sk-ant-[a-z0-9]{3,12}-)[\w+/-]{0,32})$/;

/** Checks whether a value is cut off by an ellipsis too early to be of use: `ops_eyJzaWdu...`. */
function isExcerpt(text: string, { value, end, quoted }: Candidate): boolean {
  return !quoted && text.startsWith("...", end) && beginning.test(value);
}

const minimum: Readonly<Record<Weight, number>> = { password: 8, secret: 10, likely: 20 };

function isSecret(text: string, candidate: Candidate, weight: Weight): boolean {
  const { value, quoted } = candidate;
  if (isCode(text, candidate) || isExcerpt(text, candidate)) return false;
  if (value !== last.value || weight !== last.weight || quoted !== last.quoted)
    last = { value, weight, quoted, looks: looksSecret(value, weight, quoted) };
  return last.looks;
}

/** The value that was examined last: a text that repeats itself over megabytes has the same one at each name. */
let last: {
  readonly value: string;
  readonly weight: Weight;
  readonly quoted: boolean;
  readonly looks: boolean;
} = {
  value: "",
  weight: "likely",
  quoted: false,
  looks: false,
};

function looksSecret(value: string, weight: Weight, quoted: boolean): boolean {
  if (quoted && /\s/.test(value)) return weight === "password" && looksLikePassphrase(value);
  const isLong = quoted || value.length >= 8;
  if (weight === "password" && isLong && looksLikePassword(value)) return true;
  if (weight !== "password" && isName(value)) return false;
  return looksRandom(value, minimum[weight]);
}

/** Words in the name of a value that is not the right one: a test's counterexample, or a substitute. */
const wrong =
  /(?<!(?:^|_)(?:not?|non)_|[a-z])(?:bogus|dummy|fake|incorrect|invalid|malformed|mis_?match(?:ed|ing)?|mock(?:ed)?|non_?match(?:ed|ing)?|unmatched|wrong)(?![a-z])/;

/** Returns the part of a name before `at`, at most `max` characters. */
function wordBefore(text: string, at: number, max: number): string {
  let start = at;
  while (start > 0 && at - start < max && /[\w.-]/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start, at);
}

/** A part of each of these words; few names hold one. */
const partOfWrong = /bogus|dummy|fake|incorrect|invalid|malformed|match|mock|wrong/i;

/** Checks whether the name at `nameAt` says that its value is wrong: `invalidToken`, `FAKE_API_KEY`. */
function isWrong(text: string, nameAt: number): boolean {
  const before = wordBefore(text, nameAt, 40).replace(/^.*\./, "");
  const rest = /^[\w-]*/.exec(text.slice(nameAt, nameAt + 60))?.[0] ?? "";
  if (!partOfWrong.test(before + rest)) return false;
  const words = (before + rest).replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])|-/g, "$1$2_");
  return wrong.test(words.toLowerCase());
}

/** Checks whether `link` makes the name that of the value, and not a message or code before it (`invalid_token: x`). */
function isAssignment(link: string, { quoted }: Candidate): boolean {
  return !link.includes(",") && (link.includes("=") || (quoted && link.includes(":")));
}

function endOfName(text: string, at: number): number {
  return at + (matchAt(restOfName, text, at)?.length ?? 0);
}

function secretBehind(text: string, nameEnd: number, { nameAt, weight }: Named): Candidate | undefined {
  const linkAt = endOfName(text, nameEnd);
  const link = matchAt(between, text, linkAt);
  if (link !== undefined) {
    const candidate = valueAt(text, linkAt + link.length);
    if (candidate && isAssignment(link, candidate) && isWrong(text, nameAt)) return undefined;
    // Of two arguments of a call, the first one is not certainly the name of the second.
    const sure = !link.includes(",") || looksRandom(candidate?.value ?? "", minimum[weight]);
    if (candidate && sure && isSecret(text, candidate, weight)) return candidate;
  }
  if (weight === "likely") return undefined;
  const words = matchAt(spoken, text, nameEnd);
  const candidate = words === undefined ? undefined : valueAt(text, nameEnd + words.length);
  const minLength = weight === "password" ? minimum.password : 16;
  const isOther = !candidate || isCode(text, candidate) || isExcerpt(text, candidate);
  return !isOther && looksRandom(candidate.value, minLength) ? candidate : undefined;
}

/** Checks whether a word, or a part of a camelCase one, starts at `at`: `key` in `apiKey`, not in `monkey`. */
function startsWord(text: string, at: number): boolean {
  const pair = text.slice(Math.max(0, at - 1), at + 1);
  return !/^[A-Za-z][a-z]|^[A-Z]{2}/.test(pair);
}

/** Tokens against forged requests stand in every page of a site and are useless without its session. */
const pageToken = "(?:csrf|xsrf|authenticity|anti-?forgery|requestverification)[_.-]?(?:token|key)?$";
/** A public key, and what identifies or describes a secret: `credentialsId`, `secretName`, `KeySize`. */
const aboutSecret =
  "(?:public|verif(?:y|ication))[_.-]?key|(?:credentials?|keys?|tokens?|secrets?)[_.-]?(?:name|ref|reference|url|uri|path|type|size|length|kind|version|count|arn|alg|algorithm)s?$|(?:credentials?|token|key)s?[_.-]?ids?$";
const harmlessName = new RegExp(`${pageToken}|${aboutSecret}`, "i");

/** Checks whether the name at `nameAt` is that of a value which may be seen. */
function isHarmlessName(text: string, nameAt: number): boolean {
  const before = wordBefore(text, nameAt, 24);
  const rest = /^[\w.-]*/.exec(text.slice(nameAt, nameAt + 40))?.[0] ?? "";
  return harmlessName.test(before + rest);
}

const marker = "[redacted:";

/** Checks whether the text at `at` is the kind in a `[redacted:kind]`. */
function isMarker(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 30), at);
  const start = before.lastIndexOf(marker);
  return start !== -1 && /^[a-z0-9-]*$/.test(before.slice(start + marker.length));
}

/** Finds values that are identified by the name before them: `API_KEY=…`, `"password": "…"`, `<token>…</token>`. */
export function assignmentSpans(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  name.lastIndex = 0;
  for (let match = name.exec(text); match; match = name.exec(text)) {
    const weight: Weight = match[1] ? "password" : match[2] ? "secret" : "likely";
    const nameAt = match.index;
    const isNoName =
      isMarker(text, nameAt) ||
      (weight === "likely" && !startsWord(text, nameAt)) ||
      isHarmlessName(text, nameAt);
    const secret = isNoName ? undefined : secretBehind(text, name.lastIndex, { nameAt, weight });
    if (!secret) continue;
    const end = endOf(text, secret, { nameAt, weight });
    found.push({ start: secret.start, end, kind: weight === "password" ? "password" : "secret" });
    name.lastIndex = end;
  }
  return found;
}
