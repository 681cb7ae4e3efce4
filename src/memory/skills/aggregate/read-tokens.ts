import { replacePhrases } from "./word-classes.ts";

/** A word, an identifier, a number, or the end of a clause. */
export interface Token {
  readonly kind: "word" | "identifier" | "number" | "comma" | "stop";
  /** In lower case; numbers with their unit (`30s`). "" for the end of a clause. */
  readonly key: string;
  /** As written, for what must stay whole; otherwise the key. */
  readonly form: string;
}

const call = "(?<=[\\p{L}\\p{N}_])\\(";
const tokenPattern = new RegExp(
  [
    call,
    "(?<![\\p{L}\\p{N}_-])--?[\\p{L}\\p{N}][\\p{L}\\p{N}_-]*",
    "(?<![\\p{L}\\p{N}_])[CF](?:\\+\\+|#)",
    "[.@$]?[\\p{L}\\p{N}\\p{M}_](?:[\\p{L}\\p{N}\\p{M}_'/.:\\\\*@#&-]*[\\p{L}\\p{N}\\p{M}_*])?%?",
    "={2,3}|!={1,2}|&&|\\|\\||=>|->|\\?[?.]|:=|>=|<=|<(?=\\s|\\d)|[~^](?=\\d)",
    "[.,;:!?()\\u2013\\u2014]|(?<=\\s)-(?=\\s)",
  ].join("|"),
  "gu",
);
const startsWord = /^[.@$-]{0,2}[\p{L}\p{N}\p{M}_]/u;
const endsClause = /^[.,;:!?()\u2013\u2014-]$/u;
const structured = /[_/.:\\*@#&]|[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|[\p{L}]\p{N}/u;
const plural = /^\p{Lu}{2,}s$/u;

const units = new Map(
  `s sec secs second seconds,ms millisecond milliseconds msec,min mins minute minutes,h hr hrs hour hours,d day days,
kb kib kilobyte kilobytes,mb mib megabyte megabytes,gb gib gigabyte gigabytes,% percent,k,px pixel pixels`
    .split(",")
    .flatMap((line) => {
      const [head = "", ...others] = line.trim().split(" ");
      return [head, ...others].map((word) => [word, head] as const);
    }),
);
const numerals = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, n) => [word, `${n}`]),
);
numerals.delete("one");
const quantity = /^v?(\d[\d.]*)(?:-?([a-z]+|%))?$/;

/** Splits a pattern into tokens, in linear time. Code in backticks is never taken apart into stems. */
export function readTokens(text: string): readonly Token[] {
  const parts = text
    .normalize("NFKC")
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\(s\)/g, "s")
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, "")
    .split(/`+/);
  const balanced = parts.length % 2 === 1;
  const found = parts.flatMap((part, at) => {
    const isCode = balanced && at % 2 === 1;
    return isCode ? splitText(part, true) : splitText(plainWords(part), false);
  });
  return joinUnits(found);
}

/** Replaces phrases where no capital is lost that an identifier needs. */
function plainWords(part: string): string {
  return replacePhrases(
    part.replace(/(?<![^\s("])\p{Lu}(?=[\p{Ll}']*(?:[\s,;.]|$))/gu, (first) => first.toLowerCase()),
  );
}

function splitText(text: string, isCode: boolean): readonly Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  for (const { 0: raw, index } of text.matchAll(tokenPattern)) {
    depth = callDepth(depth, raw, text[index - 1] ?? "");
    const inCode = isCode || depth > 0;
    if (startsWord.test(raw)) {
      const isWhole = inCode || /[(/=]/.test(text[index + raw.length] ?? "") || /^[.@$-]/.test(raw);
      pushWord(tokens, raw, isWhole);
    } else if (!endsClause.test(raw)) pushOperator(tokens, raw);
    else if (!inCode) tokens.push({ kind: /[,()]/.test(raw) ? "comma" : "stop", key: "", form: "" });
  }
  return tokens;
}

/** Counts the calls that are open after a token: `f(g(` is two. */
function callDepth(depth: number, raw: string, before: string): number {
  if (raw === "(") return /[\p{L}\p{N}_]/u.test(before) ? depth + 1 : depth;
  return raw === ")" ? Math.max(0, depth - 1) : depth;
}

/** `>=` is left out: `Node >= 20` and `Node 20 or newer` are the same. */
function pushOperator(to: Token[], raw: string): void {
  const key = raw === "<=" ? "<" : raw;
  if (key !== ">=") to.push({ kind: "identifier", key, form: key });
}

function pushWord(to: Token[], raw: string, whole: boolean): void {
  const form = /^-/.test(raw) ? raw : raw.replace(/^[.@$]/, "").replace(/'s$/, "");
  const key = form.startsWith("-") ? form : form.toLowerCase();
  if (/^v?\d/.test(key)) {
    const [, number = "", rest = ""] = /^v?(\d[\d.]*)-([a-z]{2,})$/.exec(key) ?? [];
    if (number !== "" && !units.has(rest)) {
      to.push({ kind: "number", key: number, form: number }, { kind: "word", key: rest, form: rest });
    } else to.push(numberToken(key));
  } else if (whole) to.push({ kind: "identifier", key, form });
  else if (numerals.has(key)) to.push(numberToken(numerals.get(key) ?? ""));
  else if (key === "twice") to.push(numberToken("2"));
  else if (structured.test(form) && !plural.test(form) && !/^[a-z]\.[a-z]$/.test(key)) {
    to.push({ kind: "identifier", key, form });
  } else pushPlain(to, key);
}

/** A hyphen between words is as good as a space; after a prefix it is nothing. */
function pushPlain(to: Token[], key: string): void {
  const joined = key.replace(/^(re|pre|un|co)-/, "$1").replace(/^[a-z]\.[a-z]$/, "eg");
  for (const word of joined.split("-")) {
    if (word !== "") to.push({ kind: "word", key: word, form: key });
  }
}

function numberToken(written: string): Token {
  const [, number, unit = ""] = quantity.exec(written) ?? [];
  const key = number === undefined ? written : `${number}${units.get(unit) ?? unit}`;
  return { kind: "number", key, form: key };
}

/** Joins a number and the unit that follows it. */
function joinUnits(tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const before = joined.at(-1);
    const unit = token.kind === "word" ? units.get(token.key) : undefined;
    if (unit !== undefined && before?.kind === "number" && /^\d[\d.]*$/.test(before.key)) {
      joined[joined.length - 1] = { ...before, key: `${before.key}${unit}`, form: `${before.key}${unit}` };
    } else joined.push(token);
  }
  return joined;
}
