import { basename, extname } from "node:path";
import { type DataProgram, dataProgram, unquoted, withoutPrefix } from "./data-programs.ts";
import { type Range, type ShellCommand, type ShellScript, type ShellWord, scanShell } from "./scan-shell.ts";

/**
 * Returns what a script runs or reads as code. Of a shell's script, leaves out comments, the files that it writes (`>> log`,
 * `tee log`) and those that well-known programs only read (`grep x FILE`, `prettier --check FILE`). Other texts stay whole.
 */
export function codeOf({ path, text }: { readonly path: string; readonly text: string }): string {
  const script = isShell(path, text) ? scanShell(text) : null;
  if (script === null) return text;
  const ranges = [...script.comments, ...dataIn(script, text)];
  return without(text, [...ranges, ...unusedValues(script, text, ranges)]);
}

function isShell(path: string, text: string): boolean {
  const [first = ""] = text.split("\n", 1);
  if (first.startsWith("#!")) return /\b(?:ba|da|z|k|a)?sh\b/.test(first);
  return /^(?:|\.(?:ba|z|k)?sh)$/.test(extname(basename(path)));
}

/** Spaces take the place of what is left out. */
function without(text: string, ranges: readonly Range[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { from, to } of ranges.toSorted((one, other) => one.from - other.from)) {
    if (to <= at) continue;
    parts.push(text.slice(at, Math.max(at, from)), " ");
    at = to;
  }
  return parts.join("") + text.slice(at);
}

function dataIn(script: ShellScript, text: string): readonly Range[] {
  const { commands } = script;
  const targets = commands.flatMap((command) => command.targets);
  const isComputed = commands.some(isComputedCommand);
  const isAnyRun = isCompositeRun(script, text);
  const quiet: ShellWord[] = [];
  const read: { readonly command: ShellCommand; readonly words: readonly ShellWord[] }[] = [];
  for (const command of commands) {
    const program = dataProgram(command.words);
    if (program === null) continue;
    const words = dataWords(program);
    if (program.kind !== "output") quiet.push(...words);
    else if (!isAnyRun && !isOutputRun(command, isComputed)) read.push({ command, words });
  }
  const code = without(text, [...targets, ...quiet, ...read.flatMap(({ words }) => words)]);
  // What is written to a file that the script names elsewhere can run from there.
  const isKept = ({ targets: files }: ShellCommand): boolean =>
    files.some((file) => file.text !== "/dev/null" && code.includes(unquoted(file).replace(/^\.\//, "")));
  return [...targets, ...quiet, ...read.flatMap(({ command, words }) => (isKept(command) ? [] : words))];
}

/** A command whose name or program the script puts together. */
function isComputedCommand({ words }: ShellCommand): boolean {
  const [first, ...args] = withoutPrefix(words).map(unquoted);
  return first !== undefined && (/^eval$|^[$`]/.test(first) || args[0] === "-c");
}

/** Returns true where a program takes the output of several commands, or perhaps that of a function. */
function isCompositeRun({ commands, isGroupPiped }: ShellScript, text: string): boolean {
  const piped = commands.filter(({ next }) => next !== null && dataProgram(next.words) === null);
  const isEnd = ({ words, next }: ShellCommand): boolean =>
    next !== null && /^(?:\}|done|fi|esac)$/.test(words[0]?.text ?? "");
  const hasFunctions = /\([ \t]*\)\s{0,9}[{(]|^[ \t]*function\s/m.test(text);
  return isGroupPiped || commands.some(isEnd) || (hasFunctions && piped.length > 0);
}

/** Returns true where another program than those that only read takes the output of a command. */
function isOutputRun(command: ShellCommand, isComputed: boolean): boolean {
  for (let reader = command.next; reader !== null; reader = reader.next)
    if (dataProgram(reader.words) === null) return true;
  const { parent } = command;
  if (parent === null) return false;
  if (parent.words.length === 0) return true;
  if (withoutPrefix(parent.words).length === 0) return isComputed;
  return dataProgram(parent.words) === null || isOutputRun(parent, isComputed);
}

/** A file by which a checker is configured, also where it is checked itself. */
const configuration =
  /(?:^|\/)(?:[^/]*\.(?:config|conf)\.\w+|[^/]*rc(?:\.\w+)?|tsconfig[^/]*\.json|biome\.jsonc?|[^/]*\.(?:toml|ini|cfg))$/;

function dataWords({ args, kind, codeOptions, hasProgram }: DataProgram): readonly ShellWord[] {
  return args.filter((word, at) => {
    const text = unquoted(word);
    if (kind === "parser") return true;
    if (text.startsWith("-") && text.length > 1) return false;
    if (codeOptions.test(args[at - 1]?.text ?? "")) return false;
    if (/\$\(|`|<\(|>\(/.test(word.text) || (hasProgram && /[\s(){};!|]/.test(text))) return false;
    return kind !== "checker" || !configuration.test(text);
  });
}

const assigned = /^([A-Za-z_]\w*)\+?=(?!.*(?:\$\(|`))/s;

/** Returns the assignments of variables that only the data of the script uses: `LOG=~/log` of `>> "$LOG"`. */
function unusedValues(script: ShellScript, text: string, data: readonly Range[]): readonly Range[] {
  if (script.commands.some(passesVariables)) return [];
  const values = script.commands.flatMap(({ words }) => {
    const [first] = withoutPrefix(words);
    if (first !== undefined && !/^(?:local|readonly)$/.test(first.text)) return [];
    return words.flatMap((word) => {
      const name = assigned.exec(word.text)?.[1];
      return name === undefined ? [] : [{ name, word }];
    });
  });
  const unused: ShellWord[] = [];
  for (let round = 0; round < values.length && round < maxRounds; round++) {
    const used = variablesIn(without(text, [...data, ...unused]));
    const all = variablesIn(text);
    const more = values.filter(
      ({ name, word }) => all.has(name) && !used.has(name) && !unused.includes(word),
    );
    if (more.length === 0) break;
    unused.push(...more.map(({ word }) => word));
  }
  return unused;
}

/** Another script, or a composed command, may use a variable by its name. */
function passesVariables(command: ShellCommand): boolean {
  const [first] = withoutPrefix(command.words);
  return /^(?:\.|source|export|set|declare|typeset)$/.test(first?.text ?? "") || isComputedCommand(command);
}

/** Variables that are composed of others. */
const maxRounds = 3;

function variablesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/\$\{?[!#]?([A-Za-z_]\w*)/g)].map(([, name = ""]) => name));
}
