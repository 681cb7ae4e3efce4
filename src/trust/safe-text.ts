import type { RedactedText, SafeText } from "../base/safe-text.ts";
import { cleanText, clip, oneLine } from "../base/text.ts";
import { redact } from "./redact.ts";
import { redactPiece } from "./redact-piece.ts";
import { stripControls } from "./strip-controls.ts";

// The way for outside text (of agents, commands, files, git, people) to the store, the logs, prompts, the screen and other
// programs. Their types name what they take; only this file and stored-text.ts make those types of other text.

/** Redacts secrets and keeps control characters: for logs and stored output. Pass whole texts, before they are cut. */
export function redactedText(text: string): RedactedText {
  return redact(text) as RedactedText;
}

/**
 * `redactedText` of a text that may take long, in pieces: this returns the one that begins at `from`, and where it ends. The
 * caller lets other work, such as the answer to a signal, run in between.
 */
export function redactedPiece(
  text: string,
  from: number,
): { readonly text: RedactedText; readonly end: number } {
  const piece = redactPiece(text, from, (part) => redactedText(part));
  return { text: piece.text as RedactedText, end: piece.end };
}

/**
 * `redactedText` for a column: first removes what databases refuse. Control characters stay, unless a secret is seen without
 * them: what reads the store only removes them.
 */
export function columnText(text: string): RedactedText {
  const hidden = redactedText(cleanText(text));
  const visible = stripControls(hidden);
  const again = visible === hidden ? hidden : redactedText(visible);
  return again === visible ? hidden : again;
}

/** Redacts secrets and removes control characters. Pass whole texts, before they are cut. */
export function safeText(text: string): SafeText {
  const hidden = redact(text);
  const visible = stripControls(hidden);
  // The first search leaves out control characters by itself; this one also holds where the two differ about what is one.
  return (visible === hidden ? visible : redact(visible)) as SafeText;
}

/** Removes control characters from a program's output, to read it. The result is still outside text. */
export function withoutControls(output: string): string {
  return stripControls(output);
}

/** `safeText` on one line of at most `max` characters. */
export function safeLine(text: string, max: number = Number.POSITIVE_INFINITY): SafeText {
  return clip(oneLine(safeText(text)), max);
}

/** Returns outside data as one line of JSON: each of its texts passes `safeText`; keys stay as they are. */
export function safeJson(value: unknown): SafeText {
  return JSON.stringify(value, (_, part) => (typeof part === "string" ? safeText(part) : part)) as SafeText;
}
