/** Quoted text without expansion. */
const plainQuotes = /'[^']*'|"[^"\\$`]*"/g;
/** More of the shell than words and `&&`. */
const beyond = /['"\\$`;|<>()\n]|(?<!&)&(?!&)/;
const setsPath = /^(?:[A-Za-z_]\w*=\S*\s+)*PATH=/;
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
  const bare = line.replace(plainQuotes, "");
  const pipelines = beyond.test(bare) ? null : parse(line);
  if (pipelines === null || pipelines.length === 0) return null;
  const found: (readonly [string, ...string[]])[] = [];
  for (const { text, stages } of pipelines) {
    const [name, ...args] = stages[0] ?? [];
    if (name === undefined || setsPath.test(text) || special.test(name)) return null;
    found.push([name, ...args]);
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
  const found = parse(lines);
  const isCompound = found?.some(({ stages }) => stages.some(([name = ""]) => compound.test(name)));
  return isCompound ? null : found;
}

function parse(lines: string): readonly Pipeline[] | null {
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
  return found;
}

function withoutAssignments(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !assignment.test(word));
  return first < 0 ? [] : words.slice(first);
}
