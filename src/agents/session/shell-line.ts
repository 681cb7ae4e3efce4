/** One command of a line: `X=1 npm test -- a < file`. */
export interface ShellStep {
  /** The operator before it: the first has `;`. */
  readonly joint: Joint;
  /** The assignments before its first word. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  readonly words: readonly string[];
  /** The files that it reads by `<`. */
  readonly inputs: readonly string[];
}

type Joint = ";" | "&&" | "||" | "|";

const maxChars = 10_000;
/** Control characters besides tab and line feed. */
const control = /[^\t\n\P{Cc}]/u;

const end = "(?=[\\s;|&]|$)";
const blank = /(?:[ \t]|\\\n)+/y;
const joint = /&&|\|\||\|&|[;|\n]/y;
/** The only redirections of output: into nothing, and into each other. */
const silenced = new RegExp(`(?:(?:\\d|&)?>>?[ \\t]*/dev/null|\\d?>&\\d)${end}`, "y");
const input = /<[ \t]*(?=[^\s<>&(;|])/y;
const assignment = /^([A-Za-z_]\w*)=/;

interface Piece {
  readonly pattern: RegExp;
  /** Returns the characters that the shell passes on. */
  readonly text: (match: RegExpExecArray) => string;
  readonly quoted: boolean;
}

const pieces: readonly Piece[] = [
  { pattern: /[^\s'"\\$`|&;<>(){}]+/y, text: ([all]) => all, quoted: false },
  // Without a comma or dots, braces stand for themselves: `HEAD@{1}`.
  { pattern: /\{[\w-]*\}/y, text: ([all]) => all, quoted: false },
  { pattern: /'([^']*)'/y, text: ([, inner = ""]) => inner, quoted: true },
  {
    pattern: /"((?:[^"\\$`]|\\[\s\S]|\$\?)*)"/y,
    text: ([, inner = ""]) => inner.replace(/\\([\\"$`])/g, "$1").replaceAll("\\\n", ""),
    quoted: true,
  },
  { pattern: /\\([^\n])/y, text: ([, one = ""]) => one, quoted: true },
  { pattern: /\$\?/y, text: ([all]) => all, quoted: true },
];

/** Words that a shell would replace by others: a home folder, a program's path, a comment, the folder above. */
const replaced = /^[~=#]|[=:]~|(?:^|[/=:])\0*\.\0*[*?[]/;

interface Word {
  readonly text: string;
  /** The same, where quoted characters have no meaning for the shell. */
  readonly bare: string;
}

type Token = { readonly joint: string } | { readonly word: Word; readonly isInput: boolean };
type Take = (pattern: RegExp) => RegExpExecArray | null;

/**
 * Splits a command line as a POSIX shell does, into commands whose words are what the programs get. Null: the line has something else,
 * such as a variable, a substitution, a subshell, a background job, or a file that it writes.
 */
export function parseShellLine(line: string): readonly ShellStep[] | null {
  const steps: ShellStep[] = [];
  let step = emptyStep(";");
  for (const token of tokensOf(line) ?? [{ joint: ";" }]) {
    if ("word" in token) step = withWord(step, token);
    else if (step.words.length > 0) {
      steps.push(step);
      step = emptyStep(jointOf(token.joint));
    } else if (token.joint !== "\n") return null;
  }
  if (step.words.length > 0) return [...steps, step];
  return step.joint === ";" && step.variables.length + step.inputs.length === 0 ? steps : null;
}

function tokensOf(line: string): readonly Token[] | null {
  if (line.length > maxChars || control.test(line)) return null;
  const tokens: Token[] = [];
  let at = 0;
  const take: Take = (pattern) => {
    pattern.lastIndex = at;
    const match = pattern.exec(line);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < line.length) {
    if (take(blank) || take(silenced)) continue;
    const found = take(joint)?.[0];
    if (found !== undefined) tokens.push({ joint: found });
    else {
      const isInput = take(input) !== null;
      const word = takeWord(take);
      if (word === null) return null;
      tokens.push({ word, isInput });
    }
  }
  return tokens;
}

function emptyStep(before: Joint): ShellStep {
  return { joint: before, variables: [], words: [], inputs: [] };
}

function jointOf(found: string): Joint {
  if (found === "&&" || found === "||") return found;
  return found.startsWith("|") ? "|" : ";";
}

function takeWord(take: Take): Word | null {
  let word: Word = { text: "", bare: "" };
  for (let part = takePiece(take); part; part = takePiece(take))
    word = { text: word.text + part.text, bare: word.bare + part.bare };
  return word.bare === "" || replaced.test(word.bare) ? null : word;
}

function takePiece(take: Take): Word | null {
  for (const { pattern, text, quoted } of pieces) {
    const match = take(pattern);
    if (!match) continue;
    const part = text(match);
    return { text: part, bare: quoted ? `\0${part.replace(/[~=#*?[:]/g, "\0")}` : part };
  }
  return null;
}

function withWord(
  step: ShellStep,
  { word, isInput }: { readonly word: Word; readonly isInput: boolean },
): ShellStep {
  const { text, bare } = word;
  if (isInput) return { ...step, inputs: [...step.inputs, text] };
  const name = step.words.length === 0 ? assignment.exec(bare)?.[1] : undefined;
  if (name === undefined) return { ...step, words: [...step.words, text] };
  return { ...step, variables: [...step.variables, [name, text.slice(name.length + 1)]] };
}
