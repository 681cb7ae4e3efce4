import { cleanText } from "../base/text.ts";

const ESC = 0x1b;
const BEL = 0x07;

/** Text without any of these is returned unchanged. */
const unusual = /[^\t\n -~]/;
/** The characters up to the next unusual one: an entry for each of a million would take 30 MB. */
const usual = /[\t\n -~]+/y;

/** Invisible or reordering characters: bidirectional controls, zero-width, tags, variation selectors that carry data. */
const invisible: readonly (readonly [number, number])[] = [
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x180b, 0x180f],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

/** Characters that join or vary the one before them: kept after a character of a script or emoji that uses them. */
function isJoiner(code: number): boolean {
  return code === 0x200c || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f);
}

function isInvisible(code: number): boolean {
  return code >= 0x7f && invisible.some(([from, to]) => code >= from && code <= to);
}

/** Matches CR, VT, FF and the Unicode separators, which would move a terminal's cursor; here they end the line. */
function isLineBreak(code: number): boolean {
  return (code >= 0x0a && code <= 0x0d) || code === 0x2028 || code === 0x2029;
}

function inRange(code: number, from: number, to: number): boolean {
  return code >= from && code <= to;
}

/** Skips parameters (0x30-0x3f), intermediates (0x20-0x2f) and the final byte of a CSI that starts at `from`. */
function afterCsi(text: string, from: number): number {
  let at = from;
  while (inRange(text.charCodeAt(at), 0x30, 0x3f)) at++;
  while (inRange(text.charCodeAt(at), 0x20, 0x2f)) at++;
  return inRange(text.charCodeAt(at), 0x40, 0x7e) ? at + 1 : at;
}

/** Skips an OSC, DCS, SOS, PM or APC: to its BEL or ST; without one, to the end of the line or the next ESC. */
function afterString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BEL || code === 0x9c) return at + 1;
    if (code === ESC) return text.charCodeAt(at + 1) === 0x5c ? at + 2 : at;
    if (isLineBreak(code)) return at;
  }
  return text.length;
}

const stringIntroducers = new Set(["]", "P", "X", "^", "_"]);
const c1Strings = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);

/** Skips the escape sequence whose ESC is at `at`. */
function afterEscape(text: string, at: number): number {
  const next = text[at + 1];
  if (next === undefined) return at + 1;
  if (next === "[") return afterCsi(text, at + 2);
  if (stringIntroducers.has(next)) return afterString(text, at + 2);
  let end = at + 1;
  while (inRange(text.charCodeAt(end), 0x20, 0x2f)) end++;
  return inRange(text.charCodeAt(end), 0x30, 0x7e) ? end + 1 : end;
}

/** Skips the control sequence that starts at `at`; returns `at` if there is none. */
function afterSequence(text: string, at: number, code: number): number {
  if (code === ESC) return afterEscape(text, at);
  if (code === 0x9b) return afterCsi(text, at + 1);
  if (c1Strings.has(code)) return afterString(text, at + 1);
  return at;
}

/** Returns the visible form of the single character `code`; `before` is the last visible form. */
function visibleForm(code: number, before: string): string {
  if (code === 0x09) return "\t";
  if (isLineBreak(code)) return "\n";
  if (code < 0x20 || isInvisible(code)) return "";
  if (isJoiner(code)) return canJoin(code, before) ? String.fromCodePoint(code) : "";
  return String.fromCodePoint(code);
}

function canJoin(code: number, before: string): boolean {
  const last = before.codePointAt(0) ?? 0;
  // A keycap is an ASCII digit followed by U+FE0F.
  if (code === 0xfe0f) return !isJoiner(last) && (last > 0x7f || /[0-9#*]/.test(before));
  return last > 0x7f && (!isJoiner(last) || (code === 0x200d && last === 0xfe0f));
}

/**
 * Makes `text` safe for a terminal: line feeds, tabs and visible characters. Removes whole escape sequences (CSI, OSC,
 * DCS and others, 7-bit and C1, also unterminated), other controls, bidirectional overrides, tag characters and
 * zero-width characters that join nothing; a carriage return becomes a line feed, so that nothing is overwritten.
 * Never throws; linear.
 */
export function stripControls(text: string): string {
  if (!unusual.test(text)) return text;
  const clean = cleanText(text);
  const out: string[] = [];
  let before = "";
  let at = 0;
  while (at < clean.length) {
    usual.lastIndex = at;
    if (usual.test(clean)) {
      out.push(clean.slice(at, usual.lastIndex));
      at = usual.lastIndex;
      before = clean.charAt(at - 1);
      continue;
    }
    const code = clean.codePointAt(at) ?? 0;
    const end = afterSequence(clean, at, code);
    if (end > at) {
      at = end;
      continue;
    }
    at += code > 0xffff ? 2 : 1;
    // CR LF is one line break.
    if (code === 0x0d && clean.charCodeAt(at) === 0x0a) continue;
    const visible = visibleForm(code, before);
    if (visible === "") continue;
    out.push(visible);
    before = visible;
  }
  return out.join("");
}
