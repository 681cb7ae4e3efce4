/** Text that is no code: from `open` until the next `end`. */
interface Span {
  /** A regular expression, as text. */
  readonly open: string;
  /** Finds the end, and what has to be passed over: escapes, classes and nested openings. None: `open` matches all of it. */
  readonly end?: RegExp;
  /** Its content stays: names of tests are strings of one line. */
  readonly stays?: true;
  /** The file is valid without its end. */
  readonly mayLast?: true;
}

/** The comments and strings of a language. */
export interface Syntax {
  readonly spans: readonly Span[];
  readonly opening: RegExp;
}

/** Passed over inside of a span; everything else that `end` matches ends it. */
const passed = /^(?:\\|\[.)/;

const line = (open: string): Span => ({ open, end: /$/gm, mayLast: true });
const block: Span = { open: "\\/\\*", end: /\*\//g };
const nestedBlock: Span = { open: "\\/\\*", end: /\*\/|\/\*/g };
const double: Span = { open: '"', end: /\\[^\n]|"|$/gm, stays: true };
const single: Span = { open: "'", end: /\\[^\n]|'|$/gm, stays: true };
// An apostrophe is also part of numbers and lifetimes.
const character: Span = { open: "'(?:\\\\[^'\\n]{1,9}|\\\\'|[^\\\\'\\n])'", stays: true };
const tripleDouble: Span = { open: '"""', end: /\\[\s\S]|"""/g };
const tripleSingle: Span = { open: "'''", end: /\\[\s\S]|'''/g };
const slashes = line("\\/\\/");
const hash = line("(?<=^|\\s)#(?![{[])");
/** `/` after these begins a regular expression; elsewhere it divides. */
const expression: Span = {
  open: "(?<=(?:^|[(,=:[!&|?{};>]|\\breturn)[ \\t]{0,9})\\/(?![/*])",
  end: /\\[^\n]|\[(?:\\[^\n]|[^\]\\\n]){1,100}\]|\/|$/gm,
  stays: true,
};

function syntax(...spans: readonly Span[]): Syntax {
  return { spans, opening: new RegExp(spans.map(({ open }) => `(${open})`).join("|"), "gm") };
}

type SyntaxName =
  | "script"
  | "python"
  | "nested"
  | "go"
  | "groovy"
  | "php"
  | "managed"
  | "c"
  | "lua"
  | "perl"
  | "ruby"
  | "shell";

/** The syntaxes whose comments and long strings are known, by what they have in common. */
export const syntaxes: Readonly<Record<SyntaxName, Syntax>> = {
  script: syntax(block, slashes, double, single, { open: "`", end: /\\[\s\S]|`/g }, expression),
  python: syntax(tripleDouble, tripleSingle, line("#"), double, single),
  nested: syntax(nestedBlock, slashes, double, character),
  go: syntax(block, slashes, double, character, { open: "`", end: /`/g }),
  groovy: syntax(block, slashes, tripleDouble, tripleSingle, double, single),
  php: syntax(block, slashes, hash, double, single),
  managed: syntax(block, slashes, tripleDouble, double, character),
  c: syntax(
    { open: "^[ \\t]*#[ \\t]*if[ \\t]+0\\b", end: /^[ \t]*#[ \t]*(?:endif|else|elif)\b/gm },
    ...[block, slashes, double, character],
  ),
  lua: syntax(
    { open: "(?:--)?\\[\\[", end: /\]\]/g },
    { open: "--\\[=\\[", end: /\]=\]/g },
    ...[line("--"), double, single],
  ),
  // Their quotes look like those in expressions and in text.
  perl: syntax({ open: "^=[a-zA-Z]", end: /^=cut\b|^__END__$/gm, mayLast: true }, hash, {
    open: "^__END__$",
    end: /(?!)/g,
    mayLast: true,
  }),
  ruby: syntax({ open: "^=begin\\b", end: /^=end\b/gm }, hash),
  shell: syntax(hash),
};

/**
 * Returns the text without comments, and without the content of strings of several lines, in time that grows with its
 * length; undefined if one does not end, because then it may have been misread.
 */
export function codeOf(text: string, { spans, opening }: Syntax): string | undefined {
  const code: string[] = [];
  let at = 0;
  for (;;) {
    opening.lastIndex = at;
    const found = opening.exec(text);
    if (!found) return code.join("") + text.slice(at);
    const span = spans[found.slice(1).findIndex((group) => group !== undefined)];
    const from = found.index + found[0].length;
    const to = span?.end ? endOf(text, from, span.end) : from;
    if (to === undefined && !span?.mayLast) return undefined;
    const end = to ?? text.length;
    code.push(text.slice(at, found.index), span?.stays ? text.slice(found.index, end) : blank(found[0]));
    at = end;
  }
}

/** The tables of `test.each` begin with the quote of their string. */
function blank(open: string): string {
  return open === "`" ? "``\n" : "\n";
}

function endOf(text: string, from: number, end: RegExp): number | undefined {
  let depth = 0;
  end.lastIndex = from;
  for (let found = end.exec(text); found; found = end.exec(text)) {
    if (found[0] === "/*") depth += 1;
    else if (!passed.test(found[0])) {
      if (depth === 0) return found.index + found[0].length;
      depth -= 1;
    }
  }
  return undefined;
}
