import { isPlaceholder } from "./randomness.ts";
import type { SecretSpan } from "./secret-span.ts";

const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const end = "-----END ";
const dashes = "-----";
/** Lines of base64 with real or escaped line ends, for a key without its end line. */
const cutOff = /(?:(?:\s|\\[nrt]){0,4}[A-Za-z0-9+/=]{16,100}){1,400}/y;
/** Keys are far smaller: RSA with 16,384 bits takes 13 kB. */
const maxLength = 40_000;

/** Finds PEM private keys, also those that were cut off before their end line. */
export function privateKeySpans(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  begin.lastIndex = 0;
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    const body = begin.lastIndex;
    const closing = text.indexOf(dashes, body);
    const isWhole = text.startsWith(end, closing) && closing - body <= maxLength;
    const stop = isWhole ? afterDashes(text, closing + end.length) : afterBase64(text, body);
    if (!/[A-Za-z0-9+/=]{24}/.test(text.slice(body, stop))) continue;
    found.push({ start: match.index, end: stop, kind: "private-key" });
    begin.lastIndex = stop;
  }
  return found;
}

function afterBase64(text: string, from: number): number {
  cutOff.lastIndex = from;
  return from + (cutOff.exec(text)?.[0].length ?? 0);
}

function afterDashes(text: string, from: number): number {
  const close = text.slice(from, from + 80).indexOf(dashes);
  return close < 0 ? from : from + close + 5;
}

const isSecretManifest = /^[ \t]{0,20}kind:[ \t]{1,4}["']?Secret\b/m;
const dataLine = /^([ \t]*)(?:data|stringData):[ \t]*$/;
const entryKey = /^[ \t]+["']?[\w.-]{1,200}["']?:[ \t]+["']?/;
const entryValue = /^[^\s"'#|>][^"'\n]*$/;

/** Finds the values of a Kubernetes Secret: everything below its `data` and `stringData`. */
export function manifestSpans(text: string): readonly SecretSpan[] {
  if (!isSecretManifest.test(text)) return [];
  let at = 0;
  return text.split(/(?<=\n)(?=---)/).flatMap((document) => {
    const start = at;
    at += document.length;
    return isSecretManifest.test(document) ? entrySpans(document, start) : [];
  });
}

function entrySpans(document: string, from: number): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  let at = from;
  let dataIndent: number | undefined;
  for (const line of document.split("\n")) {
    const start = at;
    at += line.length + 1;
    const indent = line.length - line.trimStart().length;
    if (dataIndent !== undefined && line.trim() !== "" && indent <= dataIndent) dataIndent = undefined;
    const data = dataLine.exec(line);
    if (data) dataIndent = indent;
    else if (dataIndent !== undefined) for (const one of entrySpan(line, start)) found.push(one);
  }
  return found;
}

function entrySpan(line: string, at: number): readonly SecretSpan[] {
  if (line.length > 20_000) return [];
  const key = entryKey.exec(line)?.[0];
  if (key === undefined) return [];
  const value = line.slice(key.length).trimEnd().replace(/["']$/, "").trimEnd();
  if (value.length < 4 || !entryValue.test(value) || isPlaceholder(value)) return [];
  const start = at + key.length;
  return [{ start, end: start + value.length, kind: "kubernetes" }];
}
