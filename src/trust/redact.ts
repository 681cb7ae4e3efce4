import { cleanText } from "../base/text.ts";
import { assignmentSpans } from "./secrets/assignment-spans.ts";
import { credentialSpans } from "./secrets/credential-spans.ts";
import { manifestSpans } from "./secrets/manifest-spans.ts";
import { privateKeySpans } from "./secrets/private-key-spans.ts";
import { isPublished } from "./secrets/published-values.ts";
import type { Span } from "./secrets/span.ts";
import { tokenSpans } from "./secrets/token-spans.ts";

/** Values that reveal nothing: replacing them everywhere would only garble the text. */
const harmless =
  /^(?:true|false|null|none|disabled|enabled|default|production|development|staging|localhost|password|changeme|change-me|keychain|required|optional)$/i;
const path = /^(?:~|\.{1,2})?\/|^[A-Za-z]:\\/;

const exact = new Set<string>();
let anyExact: RegExp | undefined;

/** Cache of texts without secrets: events repeat the same rows, and a run reads its task list several times in an iteration. */
const clean = new Set<string>();
let cleanChars = 0;
const maxCleanChars = 4_000_000;
const maxCleanText = 2000;
/** Keeps the time linear; two rounds are enough for nearly every text. */
const maxRounds = 5;

/**
 * Registers values that `redact` removes everywhere, such as those of environment variables named like secrets; also
 * their forms in JSON, URLs and base64. Values under 8 characters, paths and common words are skipped.
 */
export function registerSecrets(values: readonly string[]): void {
  for (const value of values) {
    if (value.length < 8 || harmless.test(value) || path.test(value)) continue;
    const base64 = Buffer.from(value).toString("base64").replace(/=+$/, "");
    for (const form of [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(cleanText(value)),
      base64,
    ])
      exact.add(form);
  }
  // Cached texts may contain one of these values.
  forgetClean();
  if (exact.size === 0) return;
  // Longer values first, so that a part does not hide the whole.
  const sources = [...exact]
    .sort((a, b) => b.length - a.length)
    .map((value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  anyExact = new RegExp(sources.join("|"), "g");
}

/**
 * Replaces every recognised secret in `text` with `[redacted:kind]`: tokens of a known shape, private keys, credentials
 * in URLs and headers, values whose name marks them as secret, and the registered values. Values that their owners
 * publish stay, unless they are registered. Pass whole lines or texts, before they are cut. Idempotent; linear; never throws.
 */
export function redact(text: string): string {
  if (text.length < 8 || clean.has(text)) return text;
  const out = replaceUntilStable(text);
  if (out === text && text.length <= maxCleanText) {
    if (cleanChars > maxCleanChars) forgetClean();
    cleanChars += text.length;
    clean.add(text);
  }
  return out;
}

function forgetClean(): void {
  clean.clear();
  cleanChars = 0;
}

/** A placeholder can give the text behind it a new meaning (`curl -u Authorization: …`): then one search is not enough. */
function replaceUntilStable(text: string): string {
  let out = text;
  for (let round = 0; round < maxRounds; round++) {
    const before = out;
    out = replaceSecrets(before);
    if (out === before) break;
  }
  return out;
}

function replaceSecrets(text: string): string {
  let out = anyExact ? text.replace(anyExact, "[redacted:env]") : text;
  for (const find of [privateKeySpans, manifestSpans, tokenSpans, credentialSpans, assignmentSpans])
    out = replaceSpans(out, find(out));
  return out;
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const inOrder = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, kind } of inOrder) {
    if (start < at || isPublished(text.slice(start, end))) continue;
    parts.push(text.slice(at, start), `[redacted:${kind}]`);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}
