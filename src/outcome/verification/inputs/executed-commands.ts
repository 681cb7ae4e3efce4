import { namedConfigurations } from "./options.ts";
import { type ShellCommand, shellCommands } from "./shell-text.ts";

/** A command of a shell text: its program, and the arguments up to the next separator. */
export interface ExecutedCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** True: another program may start it, or take the word for an argument. */
  readonly isGuess?: true;
}

const maxCommands = 500;
/** Texts in quoted words of texts in quoted words. */
const maxDepth = 3;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const keywords = setOf("! if then elif else while until do time exec command nohup eval");
const assignment = /^[A-Za-z_]\w*=/;

/**
 * Finds the commands that a shell text executes, roughly: expansions are not evaluated, and a word in the
 * wrong place names a program that does not exist. A wrapper (`timeout 60 sh x.sh`) is followed by the commands that it
 * may start. Linear time.
 */
export function executedCommands(text: string): readonly ExecutedCommand[] {
  const found: ExecutedCommand[] = [];
  addCommands(text, found, 0);
  return found;
}

function addCommands(text: string, found: ExecutedCommand[], depth: number): void {
  if (depth > maxDepth) return;
  for (const command of shellCommands(text)) {
    if (found.length >= maxCommands) return;
    const at = command.words.findIndex(isProgramWord);
    const first = at < 0 ? command.words.length : at;
    const [program, ...args] = command.words.slice(first, first + maxWords);
    if (program !== undefined) for (const one of commandsFrom(program, args)) found.push(one);
    for (const inner of innerTexts(command, first)) addCommands(inner, found, depth + 1);
  }
}

function isProgramWord(word: string): boolean {
  return !assignment.test(word) && !keywords.has(word) && word[0] !== "-";
}

function commandsFrom(program: string, args: readonly string[]): readonly ExecutedCommand[] {
  const commands = [{ program, args }, ...wrapped(program, args)];
  // What one quoted word holds may be a command: `retry "sh x.sh"`.
  const split = args.flatMap((word) => word.split(/\s+/).filter(Boolean)).slice(0, maxWords);
  if (split.length > args.length) for (const one of wrapped(program, split)) commands.push(one);
  const [next, ...rest] = args;
  // `$(NODE) tools/check.mjs`
  if (/^\$\w+$/.test(program) && next !== undefined) commands.push({ program: next, args: rest });
  return commands;
}

/** Returns the quoted words that are shell texts, as `first` is the place of the command's program. */
function innerTexts({ words, texts }: ShellCommand, first: number): readonly string[] {
  const before = words.slice(0, first).slice(-maxWords);
  // `CHECK="sh x.sh"`, which a later command expands.
  const values = before.filter((word) => assignment.test(word) && /\s/.test(word));
  const isText = before.includes("eval") || isShellText(words.slice(first));
  const isRead = readers.has(nameOf(words[first] ?? ""));
  return [
    ...values.map((word) => word.slice(word.indexOf("=") + 1)),
    // Where a quote is no quote, as in a here document, the lines up to the next one seem to be quoted.
    ...texts
      .slice(0, maxWords)
      .filter((text) => text.includes("\n") || (!isRead && (isText || /[;|&]/.test(text)))),
  ];
}

function isShellText([program = "", ...args]: readonly string[]): boolean {
  return shells.test(nameOf(program)) && args.some((word) => /^-\w*c$/.test(word));
}

const shells = /^(?:ba|da|k|z)?sh$/;
const interpreters =
  /^(?:\.|source|(?:ba|da|k|z)?sh|node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|pwsh)$/;
const packageManagers = /^(?:npm|pnpm|yarn|bun)$/;
const makes = /^g?make$/;

/** Programs that start the command which they are given, besides options of their own. */
const wrappers = setOf(
  "env nice ionice sudo doas xargs timeout gtimeout flock chrt taskset stdbuf setsid unbuffer caffeinate cross-env dotenv dotenvx direnv poetry pipenv uv pdm hatch bundle mise",
);
/** Programs whose arguments are texts or files that they only read, or change without executing them. */
const readers = setOf(
  "echo printf grep egrep fgrep rg test [ [[ ls wc diff cmp rm mkdir touch chmod chown git shellcheck shfmt export unset local for case cd set return exit which type",
);
/** Words of a wrapper's own that are looked at. */
const maxOwnWords = 6;
/** More words of one command are not looked at. */
const maxWords = 200;

/** Returns the commands that a program may start of its arguments. */
function wrapped(path: string, args: readonly string[]): readonly ExecutedCommand[] {
  const program = nameOf(path);
  if (readers.has(program)) return [];
  if (isRunner(program)) {
    const text = shells.test(program) ? args.findIndex((word) => /^-\w*c$/.test(word)) : -1;
    return text < 0 ? [] : fromFirst(args.slice(text + 1), isRunner);
  }
  const isWrapper = wrappers.has(program);
  // Values of options are not commands, but no files either.
  const own = isWrapper ? args.slice(0, maxOwnWords).filter(isCommandWord) : [];
  const runner = args.findIndex(isRunner);
  const reader = args.findIndex((word) => readers.has(word));
  const end = runner < 0 || (reader >= 0 && reader < runner) ? reader : runner;
  const guesses = own
    .filter((word) => end < 0 || args.indexOf(word) < end)
    .map((word) => ({ program: word, args: [], isGuess: true as const }));
  return [...guesses, ...(end === reader ? [] : fromFirst(args, isRunner))];
}

function fromFirst(args: readonly string[], matches: (word: string) => boolean): readonly ExecutedCommand[] {
  const at = args.findIndex(matches);
  const [program, ...rest] = at < 0 ? [] : args.slice(at);
  return program === undefined ? [] : [{ program, args: rest }, ...wrapped(program, rest)];
}

function isRunner(word: string): boolean {
  const name = nameOf(word);
  return (interpreters.test(name) && word !== ".") || packageManagers.test(name) || makes.test(name);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function isCommandWord(word: string): boolean {
  return !/^-|^\d|^[<>]/.test(word) && !assignment.test(word);
}

/** Returns the words of a command that may name a file which it executes. */
export function executedFiles({ program, args }: ExecutedCommand): readonly string[] {
  const own = program.includes("/") ? [program] : [];
  const name = nameOf(program);
  if (!interpreters.test(name)) {
    const scripts = readers.has(name) ? [] : args.filter((word) => /\w\.(?:ba|z|k)?sh$/.test(word));
    return [...own, ...scripts.slice(0, maxOwnWords)];
  }
  // A flag can have a value of its own: `node --import ./setup.mjs test.mjs`.
  const script = args.findIndex((word, at) => isScriptWord(word, args[at - 1] ?? "", name));
  const last = script < 0 ? args.length : script;
  const files = [...args.entries()].filter(([, word]) => !word.startsWith("-")).slice(0, 3);
  return [...own, ...files.flatMap(([at, word]) => (at <= last || /[./]/.test(word) ? [word] : []))];
}

/** Options whose value is another word: `bash -euo pipefail check`. */
const hasValue = /^(?:--[a-z][\w-]*|-[A-Za-z]*[CIOQWXor])$/;
const verbs = /^(?:run|test|x|exec|task|eval|check|lint)$/;

function isScriptWord(word: string, before: string, interpreter: string): boolean {
  const isVerb = /^(?:bun|deno)$/.test(interpreter) && verbs.test(word);
  return !word.startsWith("-") && !isVerb && !hasValue.test(before);
}

/** Returns the words of a command that may name a file which configures what it executes. */
export function configuringFiles({ program, args }: ExecutedCommand): readonly string[] {
  const name = nameOf(program);
  return readers.has(name) ? [] : namedConfigurations(name, args);
}

/** Returns the programs that a command starts by their names: its own, and those that package managers use. */
export function startedPrograms({ program, args }: ExecutedCommand): readonly string[] {
  const isName = /^[\w.+-]{1,64}$/;
  const names = [program];
  if (packageManagers.test(program)) names.push("sh", "node");
  if (
    /^(?:npx|bunx|pnpx)$/.test(program) ||
    (packageManagers.test(program) && /^(?:exec|x|dlx)$/.test(args[0] ?? ""))
  )
    names.push("sh", "node", ...args.slice(0, 3).filter((word) => !word.startsWith("-")));
  if (program === "python" || program === "make") names.push("sh", "python3");
  return names.filter((name) => isName.test(name) && name !== "." && name !== "..");
}
