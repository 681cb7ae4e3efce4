import { assignmentSpans } from "./assignment-spans.ts";
import { manifestSpans, privateKeySpans } from "./block-spans.ts";
import { credentialSpans } from "./credential-spans.ts";
import { isPublished } from "./published-values.ts";
import { registeredSecrets } from "./registered-secrets.ts";
import { searchCopy } from "./search-copy.ts";
import type { SecretSpan } from "./secret-span.ts";
import { tokenSpans } from "./token-rules.ts";

/** Cache of texts without secrets: events repeat the same rows, and a run reads its task list several times in an iteration. */
const clean = new Set<string>();
let cleanChars = 0;
/** The registered values that these texts do not hold. */
let cleanOf: RegExp | undefined;
const maxCleanChars = 4_000_000;
const maxCleanText = 2000;
/** The last long texts that came of redaction: an agent's final message passes it once for each place that it is kept in. */
let redactedBefore: readonly string[] = [];
const maxLong = 4;
/** Keeps the time linear; two rounds are enough for nearly every text. */
const maxRounds = 5;

/**
 * Replaces every recognised secret in `text` with `[redacted:kind]`: tokens of a known shape, private keys, credentials
 * in URLs and headers, values whose name marks them as secret, and the registered values. Values that their owners
 * publish stay, unless they are registered. Pass whole lines or texts, before they are cut. Idempotent; linear; never throws.
 */
export function redact(text: string): string {
  const registered = registeredSecrets();
  if (registered !== cleanOf) forgetClean();
  cleanOf = registered;
  if (text.length < 8 || clean.has(text) || redactedBefore.includes(text)) return text;
  const out = replaceUntilStable(text, registered);
  if (out === text && text.length <= maxCleanText) {
    if (cleanChars > maxCleanChars) forgetClean();
    cleanChars += text.length;
    clean.add(text);
  }
  if (text.length > maxCleanText && text.length <= maxCleanChars) keepLong(out);
  return out;
}

function keepLong(text: string): void {
  redactedBefore = [text, ...redactedBefore.slice(0, maxLong - 1)];
}

function forgetClean(): void {
  redactedBefore = [];
  clean.clear();
  cleanChars = 0;
}

/** Kinds whose values are short-lived, or stand in many tests. */
const passing = new Set(["jwt", "signature"]);

/** Returns true where a text has a private key or a token of a known shape, which belong in no commit. */
export function holdsSecret(text: string): boolean {
  const found = [...privateKeySpans(text), ...tokenSpans(text)];
  return found.some((span) => !passing.has(span.kind) && !isLeft(text, span));
}

/** A placeholder can give the text behind it a new meaning (`curl -u Authorization: …`): then one search is not enough. */
function replaceUntilStable(text: string, registered: RegExp | undefined): string {
  let out = text;
  for (let round = 0; round < maxRounds; round++) {
    const before = out;
    out = replaceSecrets(before, registered);
    if (out === before) break;
  }
  return out;
}

const finders = [privateKeySpans, manifestSpans, tokenSpans, credentialSpans, assignmentSpans];

function replaceSecrets(text: string, registered: RegExp | undefined): string {
  // First: what a colour or an escape interrupts would be replaced in part.
  const interrupted = replaceInterrupted(text, registered);
  let out = registered ? interrupted.replace(registered, "[redacted:env]") : interrupted;
  for (const find of finders) out = replaceSpans(out, find(out));
  return out;
}

/** Replaces what is found in a copy of `text` without control sequences, invisible characters and escapes. */
function replaceInterrupted(text: string, registered: RegExp | undefined): string {
  let out = text;
  let copy = searchCopy(out);
  for (const find of [(one: string) => registeredSpans(one, registered), ...finders]) {
    if (!copy) return out;
    const { text: searched, original } = copy;
    const spans = find(searched).filter((span) => !isLeft(searched, span));
    if (spans.length === 0) continue;
    out = replaceSpans(out, spans.map(original));
    copy = searchCopy(out);
  }
  return out;
}

function registeredSpans(text: string, registered: RegExp | undefined): readonly SecretSpan[] {
  if (!registered) return [];
  return Array.from(text.matchAll(registered), ({ 0: value, index }) => ({
    start: index,
    end: index + value.length,
    kind: "env",
  }));
}

/** Checks whether a value stays: its owner publishes it, and it is none of the user's environment. */
function isLeft(text: string, { start, end, kind }: SecretSpan): boolean {
  return kind !== "env" && isPublished(text.slice(start, end));
}

function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text;
  const inOrder = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let at = 0;
  for (const span of inOrder) {
    const { start, end, kind } = span;
    if (start < at || isLeft(text, span)) continue;
    parts.push(text.slice(at, start), `[redacted:${kind}]`);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}
