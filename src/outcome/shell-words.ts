/** One word: plain characters and quoted parts without shell expansion. */
const word = /(?:[^\s'"\\$`;|&<>()]|'[^']*'|"[^"\\$`]*")+/y;
const separator = /[ \t]*(&&)?[ \t]*/y;
const quoted = /'([^']*)'|"([^"]*)"/g;
const assignment = /^[A-Za-z_]\w*=/;
/** Characters that make a command's name shell syntax or a pattern. */
const special = /[*?[\]{}!#~]/;

/** Longer lines are not parsed. */
const maxLineChars = 10_000;

/**
 * Returns the words of each command of a line such as `cd web && CI=1 npm test`, without assignments; null for a line
 * that uses more of the shell than `&&` and quotes, or sets PATH.
 */
export function commandsOf(line: string): readonly (readonly [string, ...string[]])[] | null {
  const text = line.trim();
  if (text.length > maxLineChars) return null;
  const commands: string[][] = [[]];
  for (let at = 0; at < text.length; ) {
    separator.lastIndex = at;
    const and = separator.exec(text);
    if (and?.[1]) commands.push([]);
    word.lastIndex = at + (and?.[0].length ?? 0);
    const next = word.exec(text);
    if (!next) return null;
    commands.at(-1)?.push(next[0]);
    at = word.lastIndex;
  }
  const found: (readonly [string, ...string[]])[] = [];
  for (const words of commands) {
    const first = words.findIndex((one) => !assignment.test(one));
    const [name, ...args] = first < 0 ? [] : words.slice(first);
    const setsPath = words.slice(0, first).some((one) => one.startsWith("PATH="));
    if (name === undefined || setsPath || special.test(name)) return null;
    found.push([unquote(name), ...args.map(unquote)]);
  }
  return found;
}

function unquote(text: string): string {
  return text.replace(quoted, (_, single?: string, double?: string) => single ?? double ?? "");
}

/** A pipeline of shell lines; a group `(…)` or `{ …; }` is one word. */
export interface Pipeline {
  /** As written. */
  readonly text: string;
  /** The words of each stage, unquoted and without assignments and redirections. */
  readonly stages: readonly (readonly string[])[];
  /** The operator behind it; ";" also for the end of a line, "" at the end. */
  readonly then: "" | ";" | "&" | "&&" | "||";
}

const quotes = String.raw`\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"`;
const inner = String.raw`\((?:[^()'"\\]|${quotes})*\)`;
const group = String.raw`\$?\((?:[^()'"\\]|${quotes}|${inner})*\)|(?<=^|[\s;&|])\{\s(?:[^{}'"\\]|${quotes})*[;\n]\s*\}`;
const piece = String.raw`${quotes}|${group}|\$\{[^{}]*\}|\`[^\`]*\`|[^\s\\'"\`;&|<>()]`;
/** A comment or space, a redirection with its target, an operator, or a word. */
const token = new RegExp(
  String.raw`(?<space>(?:[ \t]|\\\n)+|(?<=^|[\s;&|])#[^\n]*)|(?<redirection>(?:\d?[<>]{1,2}&?|&>>?)[ \t]*(?:${piece})+)|(?<operator>&&|\|\||[;&\n])|(?<pipe>\|&?)|(?<word>(?:${piece})+)`,
  "y",
);
/** Words of compound commands and functions, which are not read. */
const compound = /^(?:if|for|while|until|case|select|function|do|done|then|else|fi|esac|[{}])$|\(\)$/;

/** Returns the pipelines of shell lines in order; null for lines that use more of the shell than lists, pipes and groups. */
export function pipelinesOf(lines: string): readonly Pipeline[] | null {
  const text = lines.trim();
  if (text.length > maxLineChars || text.includes("<<")) return null;
  const found: Pipeline[] = [];
  let stages: string[][] = [[]];
  let start = 0;
  const end = (at: number, then: Pipeline["then"]): void => {
    const own = text.slice(start, at).trim();
    if (own !== "" && !own.startsWith("#"))
      found.push({ text: own, stages: stages.map(withoutAssignments), then });
    stages = [[]];
    start = token.lastIndex;
  };
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const match = token.exec(text)?.groups;
    if (!match) return null;
    const { operator, pipe, word: written } = match;
    if (written !== undefined) stages.at(-1)?.push(unquote(written));
    if (pipe !== undefined) stages.push([]);
    if (operator !== undefined) end(at, operator === "\n" ? ";" : (operator as Pipeline["then"]));
  }
  end(text.length, "");
  const isCompound = found.some(({ stages: all }) => all.some(([name = ""]) => compound.test(name)));
  return isCompound ? null : found;
}

function withoutAssignments(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !assignment.test(word));
  return first < 0 ? [] : words.slice(first);
}
