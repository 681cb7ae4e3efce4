import { isAbsolute, relative, resolve } from "node:path";
import { onlyReads } from "./reading-programs.ts";
import { parseShellLine, type ShellStep } from "./shell-line.ts";

/** Where commands run and what they may use. */
export interface CommandPlace {
  /** The project's root, where a command starts. */
  readonly cwd: string;
  /** The folders that may be read and changed; the project's is one. */
  readonly folders: readonly string[];
  /** Command lines that a person allowed: verification commands and the setting `allow`. */
  readonly allowed: readonly string[];
}

/**
 * Judges a command line at the permission `edit`: true if it only reads, makes folders, or runs what a person allowed, with further
 * arguments. Nothing that it does not understand is allowed. It guards against accidents: an agent may change what its tests run.
 */
export function isAllowedCommand(line: string, place: CommandPlace): boolean {
  const text = withoutUnreadable(line.trim(), place.allowed);
  if (text === "") return line.trim() !== "";
  const steps = parseShellLine(text);
  if (!steps || steps.length === 0) return false;
  const prefixes = place.allowed.flatMap((command) => parseShellLine(command.trim()) ?? []);
  /** The folders in which the next command may run: a `cd` can fail. */
  let from: readonly string[] = [place.cwd];
  const seen = new Set(from);
  return steps.every((step, n) => {
    if (step.joint === ";" || step.joint === "||") from = [...seen];
    if (step.words[0] !== "cd") return isAllowedStep(step, prefixes, { ...place, from });
    const isPiped = step.joint === "|" || steps[n + 1]?.joint === "|";
    const next = isPiped ? null : changedFolders(step, from, place);
    from = next ?? from;
    for (const folder of from) seen.add(folder);
    return next !== null;
  });
}

/** Removes an allowed command that is the whole line, or its beginning if it cannot be parsed, such as `test "$(node a.mjs)" = 3`. */
function withoutUnreadable(line: string, allowed: readonly string[]): string {
  for (const command of allowed.map((one) => one.trim())) {
    if (command === "" || !line.startsWith(command)) continue;
    const rest = line.slice(command.length);
    if (rest === "") return "";
    if (parseShellLine(command) !== null) continue;
    if (/^[\s;|&]/.test(rest)) return `true${rest}`;
  }
  return line;
}

interface StepPlace extends CommandPlace {
  readonly from: readonly string[];
}

function isAllowedStep(step: ShellStep, prefixes: readonly ShellStep[], place: StepPlace): boolean {
  const isInside = (path: string): boolean => place.from.every((from) => isWithin(place, from, path));
  const words = unwrapped(step.words);
  const begins = (prefix: ShellStep): boolean =>
    prefix.words[0] !== "cd" && prefix.words.every((word, n) => word === words[n]);
  const stated = prefixes.filter(begins);
  const isKnown = ([name, value]: readonly [string, string]): boolean =>
    !changesPrograms.test(name) ||
    stated.some(({ variables }) => variables.some((one) => one[0] === name && one[1] === value));
  if (!step.variables.every(isKnown) || !step.inputs.every(isInside)) return false;
  return stated.length > 0 || onlyReads(words, isInside) || makesFolders(words, isInside);
}

/** Variables that decide which program runs, or what it loads. */
const changesPrograms =
  /^(?:LD_|DYLD_|GIT_|BASH|NPM_CONFIG_|XDG_|RALPH_|LESS|PYTHON(?!UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|WARNINGS)|ENV$|HOME$|IFS$|PS\d$|PROMPT_COMMAND$|VISUAL$|BROWSER$|CC$|CXX$|RUSTC$|TMPDIR$)|(?:PATH|OPTS?|OPTIONS|FLAGS|WRAPPER|PAGER|EDITOR|SHELL|STARTUP|PRELOAD|LOADER)$/i;

/** Drops words before a command that only measure or bound its time. */
function unwrapped(words: readonly string[]): readonly string[] {
  const [first, second = ""] = words;
  if (first === "time" && words.length > 1) return unwrapped(words.slice(1));
  if (first === "timeout" && /^\d+[smh]?$/.test(second) && words.length > 2) return unwrapped(words.slice(2));
  return words;
}

/** Returns the folders in which the commands after a `cd` run; null: it may leave the project. */
function changedFolders(
  step: ShellStep,
  from: readonly string[],
  place: CommandPlace,
): readonly string[] | null {
  const [folder, ...more] = step.words.slice(1);
  const isPlain = folder !== undefined && folder !== "" && more.length === 0 && !/^[-+]|[*?[]/.test(folder);
  if (!isPlain || step.variables.length + step.inputs.length > 0) return null;
  if (!from.every((base) => isWithin(place, base, folder))) return null;
  return from.map((base) => resolve(base, folder));
}

function makesFolders([program, ...words]: readonly string[], isInside: (path: string) => boolean): boolean {
  if (program !== "mkdir") return false;
  const paths = words.filter((word) => !/^-(?:[pv]+|-parents|-verbose)$/.test(word));
  return paths.length > 0 && paths.every((path) => !path.startsWith("-") && isInside(path));
}

function isWithin({ folders }: Pick<CommandPlace, "folders">, base: string, path: string): boolean {
  return folders.some((folder) => contains(folder, resolve(base, path)));
}

/** Checks whether `path` is `folder` or below it. */
export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
