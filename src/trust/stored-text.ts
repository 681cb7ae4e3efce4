import type { RedactedText, SafeText } from "../base/safe-text.ts";
import { clip, oneLine } from "../base/text.ts";
import { stripControls } from "./strip-controls.ts";

/** Removes the control characters of text that was redacted when it arrived. */
export function printable(text: RedactedText): SafeText {
  return stripControls(text) as SafeText;
}

/**
 * Makes text of the project's store and of ralph's own values safe for the screen: removes control characters, but does
 * not search for secrets again, because loading the search takes longer than a command that only reads.
 */
export function storedText(text: string): SafeText {
  return stripControls(text) as SafeText;
}

/** `storedText` on one line of at most `max` characters. */
export function storedLine(text: string, max: number = Number.POSITIVE_INFINITY): SafeText {
  return clip(oneLine(storedText(text)), max);
}

/** Characters that JSON leaves raw but terminals interpret: C1 controls, bidirectional and invisible characters. */
const rawInJson =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/**
 * Returns stored data as one line of JSON that is safe on a terminal: the characters that terminals interpret are escaped,
 * so parsers read the same text.
 */
export function storedJson(value: unknown, indent: number = 0): SafeText {
  return JSON.stringify(value, null, indent).replace(rawInJson, (found) =>
    Array.from({ length: found.length }, (_, at) => escaped(found.charCodeAt(at))).join(""),
  ) as SafeText;
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
