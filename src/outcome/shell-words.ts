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
