import { isPlaceholder, looksRandom } from "./randomness.ts";
import type { SecretSpan } from "./secret-span.ts";

/** `scheme://user:password@host` from its `://` on; the last `@` before a slash ends the password. */
const urlPassword = /:\/\/([^\s:@/"'`<>\\]{0,100}):([^\s/"'`<>\\]{1,200})@(?=[\w.[-])/g;
/** Schemes whose documented-looking passwords are often the real ones. */
const database =
  /(?:amqps?|clickhouse|mariadb|mongodb(?:\+srv)?|mssql|mysql2?|postgres(?:ql)?|rediss?|sqlserver)$/i;
/** `https://token@host`. */
const urlUser = /:\/\/([^\s:@/"'`<>\\]{20,200})@(?=[\w.[-])/g;
const header =
  /\b(?:proxy-)?authorization(?:\\{0,3}["'])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\\{0,3}["'])?(?:(?:api-?key|api-token|basic|bearer|digest|key|token)[ \t]{1,4})?([^\s"'`\\,;<>(){}[\]]{6,8000})/gi;
const bearer = /\bbearer[ \t]{1,4}([A-Za-z0-9_.~+/=-]{16,8000})/gi;
/** Headers that carry a key: `X-Api-Key: …`, `Token: …`. The name before the colon ends in one of these words. */
const keyHeader =
  /["'][\w-]{0,30}?(?:api-?key|token|secret)[ \t]{0,2}:[ \t]{0,4}([^\s"'\\<>{}$]{8,500})["']/gi;
const curlUser =
  /(?<=\s)(?:-u|--user)(?:=|[ \t]{0,3})(\\{0,3}["']?[^\s"']{0,100}(?:["']?:["']?)[^\s"']{0,200})/g;
const wellKnown =
  /^[<[{$*%]|^(?:[a-z]{1,3}|pass|passwd|password|pwd|pw|secret|token|key|user|username|test|xxx+|yyy+|\d{1,5}|\.{2,})$/i;

function isStandIn(password: string): boolean {
  return wellKnown.test(password) || /\$[{(A-Za-z_]|\{\{/.test(password) || isRedacted(password);
}

function isRedacted(value: string): boolean {
  return value.includes("[redacted:") || value.includes("redacted:");
}

// Most texts hold none of these: a search for the word that each pattern needs takes a tenth of the pattern's time.

function urlSpans(text: string): SecretSpan[] {
  if (!text.includes("://")) return [];
  const found: SecretSpan[] = [];
  for (const match of text.matchAll(urlPassword)) {
    const [whole, user = "", password = ""] = match;
    const isDatabase = database.test(text.slice(Math.max(0, match.index - 20), match.index));
    if (isRedacted(whole) || (isStandIn(password) && !(isDatabase && /^\w+$/.test(password)))) continue;
    const start = match.index + 3 + user.length + 1;
    found.push({ start, end: start + password.length, kind: "url-password" });
  }
  for (const match of text.matchAll(urlUser)) {
    const user = match[1] ?? "";
    if (looksRandom(user, 20))
      found.push({ start: match.index + 3, end: match.index + 3 + user.length, kind: "url-user" });
  }
  return found;
}

function isHeaderSecret(value: string): boolean {
  if (isStandIn(value) || isPlaceholder(value)) return false;
  return /\d|[=~+/]|[a-z][A-Z]/.test(value);
}

function headerSpans(text: string): SecretSpan[] {
  const found: SecretSpan[] = [];
  for (const [pattern, kind, needed] of [
    [header, "authorization", /authorization/i],
    [bearer, "bearer", /bearer/i],
    [keyHeader, "header", /:/],
  ] as const) {
    if (!needed.test(text)) continue;
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? "";
      const start = match.index + match[0].lastIndexOf(value);
      const end = start + value.length;
      // The rest of a value whose secret part was replaced is not a secret.
      if (text.startsWith("[redacted:", end)) continue;
      if (isHeaderSecret(value)) found.push({ start, end, kind });
    }
  }
  return found;
}

/** The user and password of `curl -u user:password`; either part alone may be the secret. */
function curlSpans(text: string): SecretSpan[] {
  if (!text.includes("curl")) return [];
  const found: SecretSpan[] = [];
  for (const match of text.matchAll(curlUser)) {
    const given = match[1] ?? "";
    const [user = "", ...rest] = given.replace(/["'\\]/g, "").split(":");
    const password = rest.join(":");
    const secret = password === "" ? user : password;
    if (
      secret.length < 6 ||
      isRedacted(given) ||
      isStandIn(secret) ||
      /^(?:user|username|test|xxx+)$/i.test(password)
    )
      continue;
    if (/^[<[]/.test(user) || /^[A-Z_]+$/.test(secret) || secret.startsWith("//")) continue;
    const start = match.index + match[0].lastIndexOf(given);
    found.push({ start, end: start + given.length, kind: "basic-auth" });
  }
  return found;
}

/** Finds credentials that are identified by their context: in a URL, a header, or an option of curl. */
export function credentialSpans(text: string): readonly SecretSpan[] {
  return [...urlSpans(text), ...headerSpans(text), ...curlSpans(text)];
}
