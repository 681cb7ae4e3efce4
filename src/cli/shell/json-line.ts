/**
 * Returns `value` as one line of JSON that is safe on a terminal: characters that JSON leaves raw but terminals interpret
 * (C1 controls, bidirectional and invisible characters) are escaped, so parsers read the same text.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g,
    (found) => Array.from({ length: found.length }, (_, at) => escaped(found.charCodeAt(at))).join(""),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
