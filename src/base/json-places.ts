/** A value in JSON text: what stands from `start` to before `end`. */
export interface JsonPlace {
  readonly start: number;
  readonly end: number;
}

/** A member of an object; `keyStart` and `keyEnd` hold its quotes. */
export interface JsonMember extends JsonPlace {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
}

/** Where the outermost value of valid JSON text stands; a byte order mark before it is skipped. */
export function jsonRoot(text: string): JsonPlace {
  const start = skipSpace(text, text.startsWith("\uFEFF") ? 1 : 0);
  return { start, end: valueEnd(text, start) };
}

/** The elements of the array at `place`; none when it is no array. The text must be valid JSON. */
export function jsonElements(text: string, { start }: JsonPlace): readonly JsonPlace[] {
  const elements: JsonPlace[] = [];
  if (text[start] !== "[") return elements;
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== "]") {
    const end = valueEnd(text, at);
    elements.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return elements;
}

/** The members of the object at `place`, repeated keys included; none when it is no object. The text must be valid JSON. */
export function jsonMembers(text: string, { start }: JsonPlace): readonly JsonMember[] {
  const members: JsonMember[] = [];
  if (text[start] !== "{") return members;
  let keyStart = skipSpace(text, start + 1);
  while (keyStart < text.length && text[keyStart] !== "}") {
    const keyEnd = stringEnd(text, keyStart);
    const at = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, at);
    const key = JSON.parse(text.slice(keyStart, keyEnd)) as string;
    members.push({ key, keyStart, keyEnd, start: at, end });
    keyStart = skipSpace(text, end);
    if (text[keyStart] === ",") keyStart = skipSpace(text, keyStart + 1);
  }
  return members;
}

/** The member that counts: of repeated keys the last, as for `JSON.parse`. */
export function jsonMember(text: string, place: JsonPlace, key: string): JsonMember | undefined {
  return jsonMembers(text, place).findLast((member) => member.key === key);
}

/** The line, from 1, of offsets that are asked for in rising order. */
export function linesOf(text: string): (offset: number) => number {
  let line = 1;
  let lineStart = 0;
  return (offset) => {
    for (let next = text.indexOf("\n", lineStart); next >= 0 && next < offset; ) {
      line++;
      lineStart = next + 1;
      next = text.indexOf("\n", lineStart);
    }
    return line;
  };
}

const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const quote = 34;
const backslash = 92;

function skipSpace(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== space && code !== lineFeed && code !== carriageReturn && code !== tab) break;
  }
  return at;
}

/** After the closing quote of the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at++;
  }
  return text.length;
}

/** A loop, not a recursion: nesting may be a million deep. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const char = text[at];
    if (char === '"') at = stringEnd(text, at);
    else if (char === "{" || char === "[") {
      depth++;
      at++;
    } else if (char === "}" || char === "]") {
      depth--;
      at++;
    } else at = depth === 0 ? scalarEnd(text, at) : at + 1;
    if (depth === 0) return at;
  }
  return at;
}

function scalarEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !/[\s,\]}]/.test(text[at] ?? "")) at++;
  return at;
}
