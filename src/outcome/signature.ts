import { safeHash } from "../base/hash.ts";
import { fixed, type RedactedText, type SafeOrFixed, type SafeText, safe } from "../base/safe-text.ts";
import { isErrorLine } from "./error-line.ts";
import { cleanOutput } from "./extract-error.ts";
import type { Outcome, Review } from "./outcome.ts";

const maxLines = 40;

/** Parts that differ between equal failures. The order matters: times come before the numbers in them. */
const variableParts: readonly (readonly [RegExp, string])[] = [
  [/ … ×\d+$|^\[… \d+ .*left out.*\]$/g, ""],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<id>"],
  [/\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:z|[+-]\d\d:?\d\d)?)?/g, "<time>"],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, "<time>"],
  [/\b\d+(?:[.,]\d+)? ?(?:ms|µs|us|ns|s|sec|seconds?|m|min|minutes?)\b/g, "<duration>"],
  [/(?:\/private)?\/(?:tmp|var\/folders|var\/tmp|dev\/shm)\/[^\s'"`:,)\]]*\/(?=[^/])/g, "<tmp>/"],
  [/(?:\/tmp|[a-z]:\\[^\s'"`:,]*\\temp)[/\\][^\s'"`:,)\]/\\]+/g, "<tmp>"],
  [/\b0x[0-9a-f]+\b/g, "<hex>"],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g, "<hex>"],
  [/\(node:\d+\)|(?<=') \(\d+\)/g, ""],
  [/(?<=\.[a-z]{1,6})\(\d+(?:,\d+)?\)/g, ""],
  [/(?<=[./\\][\w\])-]*):\d+(?::\d+)?\b/g, ""],
  [/\b(line|lines|col|column|pid|port|process|thread|seed|attempt)([ :=#]*)\d+\b/g, "$1$2#"],
  [/^\s*>?\s*\d+\s*[|│]\s*/g, ""],
  [/[‘’“”"`]/g, "'"],
  [/\s+/g, " "],
];

/**
 * Returns a short identifier of an error, derived from its category and the lines that name it. It does not depend on line
 * numbers, times or temporary folders.
 */
export function errorSignature<const T extends string>(category: SafeOrFixed<T>, text: string): SafeText {
  const lines = cleanOutput(text).filter((line) => line.trim() !== "");
  const errorLines = lines.filter(isErrorLine);
  const normalized = (errorLines.length > 0 ? errorLines : lines)
    .map(normalizeLine)
    .filter((line) => line !== "");
  const distinct = [...new Set(normalized)].slice(0, maxLines).toSorted();
  return safe`${fixed(category)}:${safeHash([category, ...distinct].join("\n"), 12)}`;
}

function normalizeLine(line: string): string {
  return variableParts.reduce((text, [pattern, by]) => text.replace(pattern, by), line.toLowerCase()).trim();
}

/** Returns the facts about the failure of an attempt that this review refused. */
export function refusalFacts(
  review: Review,
): Pick<Outcome, "errorType" | "category" | "signature"> & { readonly errorExcerpt: RedactedText } {
  const category = fixed("review");
  const signature = errorSignature(category, review.text);
  return { errorType: "unknown", category, signature, errorExcerpt: review.text };
}
