import { isPlaceholder } from "./randomness.ts";
import type { Span } from "./secret-span.ts";

const isSecretManifest = /^[ \t]{0,20}kind:[ \t]{1,4}["']?Secret\b/m;
const dataLine = /^([ \t]*)(?:data|stringData):[ \t]*$/;
const entryKey = /^[ \t]+["']?[\w.-]{1,200}["']?:[ \t]+["']?/;
const entryValue = /^[^\s"'#|>][^"'\n]*$/;

/** Finds the values of a Kubernetes Secret: everything below its `data` and `stringData`. */
export function manifestSpans(text: string): readonly Span[] {
  if (!isSecretManifest.test(text)) return [];
  const found: Span[] = [];
  let at = 0;
  let dataIndent: number | undefined;
  for (const line of text.split("\n")) {
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

function entrySpan(line: string, at: number): readonly Span[] {
  if (line.length > 20_000) return [];
  const key = entryKey.exec(line)?.[0];
  if (key === undefined) return [];
  const value = line.slice(key.length).trimEnd().replace(/["']$/, "").trimEnd();
  if (value.length < 4 || !entryValue.test(value) || isPlaceholder(value)) return [];
  const start = at + key.length;
  return [{ start, end: start + value.length, kind: "kubernetes" }];
}
