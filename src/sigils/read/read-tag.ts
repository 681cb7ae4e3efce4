import { type SigilName, sigilNames } from "./sigil-names.ts";

interface Tag {
  readonly name: SigilName;
  readonly attributes: Readonly<Record<string, string>>;
  readonly selfClosing: boolean;
  /** The index after its `>`. */
  readonly end: number;
}

const names: ReadonlySet<string> = new Set(sigilNames);
const maxNameLength = Math.max(...sigilNames.map((name) => name.length));

/** Reads the sigil's opening tag that starts at `at` and ends before `stop` on the same line; null if there is none. */
export function readTag(text: string, at: number, stop: number): Tag | null {
  const nameEnd = afterWord(text, at + 1, Math.min(stop, at + maxNameLength + 2));
  const name = text.slice(at + 1, nameEnd);
  if (!isSigilName(name)) return null;
  const attributes = new Map<string, string>();
  for (let position = nameEnd; ; ) {
    const next = afterSpace(text, position, stop);
    const close = closing(text, next, stop);
    if (close) return { name, attributes: Object.fromEntries(attributes), ...close };
    const attribute = next > position ? readAttribute(text, next, stop) : null;
    if (!attribute) return null;
    if (!attributes.has(attribute.name)) attributes.set(attribute.name, attribute.value);
    position = attribute.end;
  }
}

function isSigilName(name: string): name is SigilName {
  return names.has(name);
}

function closing(text: string, at: number, stop: number): { selfClosing: boolean; end: number } | null {
  if (at >= stop) return null;
  if (text[at] === ">") return { selfClosing: false, end: at + 1 };
  return text[at] === "/" && text[at + 1] === ">" && at + 1 < stop
    ? { selfClosing: true, end: at + 2 }
    : null;
}

function readAttribute(
  text: string,
  at: number,
  stop: number,
): { name: string; value: string; end: number } | null {
  const nameEnd = afterWord(text, at, stop);
  const equals = afterSpace(text, nameEnd, stop);
  if (nameEnd === at || text[equals] !== "=") return null;
  const open = afterSpace(text, equals + 1, stop);
  const quote = text[open];
  if (open >= stop || (quote !== '"' && quote !== "'")) return null;
  let close = open + 1;
  while (close < stop && text[close] !== quote && text[close] !== "\n") close += 1;
  if (close >= stop || text[close] !== quote) return null;
  return { name: text.slice(at, nameEnd), value: text.slice(open + 1, close), end: close + 1 };
}

function afterWord(text: string, from: number, stop: number): number {
  let at = from;
  while (at < stop && /[\w:-]/.test(text.charAt(at))) at += 1;
  return at;
}

function afterSpace(text: string, from: number, stop: number): number {
  let at = from;
  while (at < stop && (text[at] === " " || text[at] === "\t")) at += 1;
  return at;
}
