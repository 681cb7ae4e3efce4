import { type Fence, fenceAfter } from "./read/fence-after.ts";
import { readTag } from "./read/read-tag.ts";
import type { SigilName } from "./read/sigil-names.ts";

/** One `<name attributes>body</name>` of an agent's message. The body is verbatim; `""` for `<name …/>`. */
export interface Sigil {
  readonly name: SigilName;
  readonly attributes: Readonly<Record<string, string>>;
  readonly body: string;
  /** It ends on the last non-empty line of the message. */
  readonly onLastLine: boolean;
}

interface Message {
  readonly text: string;
  /** The index where the last non-empty line begins. */
  readonly lastLine: number;
  /** Cached position of each name's next closing tag: keeps the scan of many unclosed tags linear. */
  readonly nextClose: Map<SigilName, number>;
}

interface FoundSigil {
  readonly sigil: Sigil;
  readonly end: number;
}

/**
 * Finds the sigils of `text` in order, without interpreting them. A sigil occupies its own lines: its opening tag begins
 * a line (after at most three spaces) and its closing tag ends one; only other sigils may share these lines. Tags inside
 * quotes, lists, sentences or code are not sigils. Linear in the length of `text`; never throws.
 */
export function findSigils(text: string): readonly Sigil[] {
  const lastLine = text.lastIndexOf("\n", text.trimEnd().length - 1) + 1;
  const message: Message = { text, lastLine, nextClose: new Map() };
  const sigils: Sigil[] = [];
  let fence: Fence | null = null;
  for (let start = 0; start < text.length; ) {
    const end = lineEnd(text, start);
    const wasOpen: Fence | null = fence;
    fence = fenceAfter(text.slice(start, end), wasOpen);
    const found: Chain | null = wasOpen || fence ? null : readChain(message, start, end);
    if (found?.ownLines) for (const one of found.sigils) sigils.push(one);
    start = (found?.end ?? end) + 1;
  }
  return sigils;
}

interface Chain {
  readonly sigils: readonly Sigil[];
  /** The end of the line on which the last of them closes. */
  readonly end: number;
  /** False: the line has other text too, so none of them counts. */
  readonly ownLines: boolean;
}

function readChain(message: Message, start: number, end: number): Chain | null {
  const { text } = message;
  const sigils: Sigil[] = [];
  let at = afterIndent(text, start);
  let lineStop = end;
  for (;;) {
    const found = text[at] === "<" ? readSigil(message, at, lineStop) : null;
    if (!found) break;
    sigils.push(found.sigil);
    if (found.end > lineStop) lineStop = lineEnd(text, found.end);
    at = afterBlanks(text, found.end);
  }
  if (sigils.length === 0) return null;
  return { sigils, end: lineStop, ownLines: at >= lineStop };
}

function readSigil(message: Message, at: number, lineStop: number): FoundSigil | null {
  const { text, lastLine } = message;
  const tag = readTag(text, at, lineStop);
  if (!tag) return null;
  const { name, attributes } = tag;
  const sigil = (body: string, end: number): FoundSigil => ({
    sigil: { name, attributes, body, onLastLine: end > lastLine },
    end,
  });
  if (tag.selfClosing) return sigil("", tag.end);
  const close = closeAfter(message, name, tag.end);
  if (close < 0 || reopens(text, name, { from: tag.end, to: close })) return null;
  return sigil(text.slice(tag.end, close), close + name.length + 3);
}

function closeAfter({ text, nextClose }: Message, name: SigilName, from: number): number {
  const known = nextClose.get(name);
  if (known !== undefined && (known < 0 || known >= from)) return known;
  const close = text.indexOf(`</${name}>`, from);
  nextClose.set(name, close);
  return close;
}

/** Checks whether another tag of the same name begins a line in between: then the first one was never closed. */
function reopens(text: string, name: SigilName, { from, to }: { from: number; to: number }): boolean {
  const opening = `<${name}`;
  for (let at = text.indexOf(opening, from); at >= 0 && at < to; at = text.indexOf(opening, at + 1)) {
    if (beginsLine(text, at) && readTag(text, at, to)) return true;
  }
  return false;
}

function beginsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= at - 3 && text[before] === " ") before -= 1;
  return text[before] === "\n";
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** Skips up to three spaces: four would begin indented code. */
function afterIndent(text: string, start: number): number {
  let at = start;
  while (at < start + 3 && text[at] === " ") at += 1;
  return at;
}

function afterBlanks(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\t" || text[at] === "\r") at += 1;
  return at;
}
