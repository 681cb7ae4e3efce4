export interface ConfigValue {
  /** In lower case, without its subsection: `core`, `include`, `includeif`. */
  readonly section: string;
  /** Empty without one; of the old form `[a.b]` what follows the first dot. */
  readonly subsection: string;
  readonly key: string;
  readonly value: string;
  /** The lines that it takes, from 0, the last one included. */
  readonly lines: readonly [number, number];
}

/**
 * Reads the variables of a git configuration file without git, which would apply them: as git does, with several headers
 * in a line, quotes, comments, continued lines and variables without a value (`true`). Linear time. What git would refuse
 * is skipped.
 */
export function configValues(text: string): ConfigValue[] {
  const values: ConfigValue[] = [];
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  let within: Header = { section: "", subsection: "" };
  for (let at = 0; at < lines.length; at++) {
    const opened = readHeaders((lines[at] ?? "").replace(/\r$/, ""), within);
    within = opened.within;
    const key = /^[A-Za-z][A-Za-z0-9-]*/.exec(opened.rest)?.[0];
    if (key === undefined) continue;
    const after = opened.rest.slice(key.length).trimStart();
    const first = at;
    let value = "true";
    if (after.startsWith("=")) {
      const read = readValue(lines, at, after.slice(1));
      value = read.value;
      at = read.last;
    }
    values.push({ ...within, key: key.toLowerCase(), value, lines: [first, at] });
  }
  return values;
}

type Header = Pick<ConfigValue, "section" | "subsection">;

/** Reads the section headers at the start of a line: git allows several, and a variable after them. */
function readHeaders(line: string, before: Header): { readonly within: Header; readonly rest: string } {
  let within = before;
  let from = skipSpace(line, 0);
  while (line[from] === "[") {
    const end = endOfHeader(line, from);
    within = headerIn(line.slice(from, end));
    from = skipSpace(line, end + 1);
  }
  return { within, rest: line.slice(from) };
}

function headerIn(text: string): Header {
  const name = /^\[\s*([A-Za-z0-9.-]+)/.exec(text.slice(0, 300))?.[1] ?? "";
  // `[a.b]` is the old form of `[a "b"]`.
  const [section = "", ...old] = name.toLowerCase().split(".");
  const quote = text.indexOf('"');
  const quoted = quote === -1 ? "" : text.slice(quote + 1).replace(/"\s*$/, "");
  return { section, subsection: [...old, ...(quoted === "" ? [] : [unescaped(quoted)])].join(".") };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, "$1");
}

function skipSpace(line: string, from: number): number {
  let at = from;
  while (line[at] === " " || line[at] === "\t" || line[at] === "\r") at++;
  return at;
}

/** The place of the closing bracket, which may stand in the quoted subsection; else the end of the line. */
function endOfHeader(line: string, from: number): number {
  let quoted = false;
  for (let at = from; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === '"') quoted = !quoted;
    else if (line[at] === "]" && !quoted) return at;
  }
  return line.length;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };
/** A stretch of plain characters, an escape, a quote, or the start of a comment. */
const part = /[^\\"#;]+|\\.?|["#;]/g;

/** Reads a value, which a backslash at the end of its line continues on the next. */
function readValue(
  lines: readonly string[],
  from: number,
  start: string,
): { readonly value: string; readonly last: number } {
  const parts: string[] = [];
  let quoted = false;
  let line: string | undefined = start;
  let last = from;
  for (; line !== undefined; line = lines[last]) {
    const read = readLine(line.replace(/\r$/, ""), quoted);
    // A value of a megabyte has more parts than a call has arguments.
    for (const one of read.parts) parts.push(one);
    quoted = read.quoted;
    if (!read.continues) break;
    last++;
  }
  return { value: parts.join("").trim(), last: Math.min(last, lines.length - 1) };
}

function readLine(
  line: string,
  inQuotes: boolean,
): { readonly parts: readonly string[]; readonly quoted: boolean; readonly continues: boolean } {
  const parts: string[] = [];
  let quoted = inQuotes;
  for (const [token] of line.matchAll(part)) {
    if (token === "\\") return { parts, quoted, continues: true };
    if ((token === "#" || token === ";") && !quoted) break;
    if (token === '"') quoted = !quoted;
    else if (token.startsWith("\\")) parts.push(escapes[token.slice(1)] ?? token.slice(1));
    else parts.push(token);
  }
  return { parts, quoted, continues: false };
}
