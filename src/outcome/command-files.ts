import { posix } from "node:path";
import { scriptsOf } from "./package-script.ts";
import { commandsOf } from "./shell-words.ts";

/** Words before the program: keywords, and programs that start another one with their options. */
const prefix =
  /^(?:-.*|\d+[smhd]?|if|then|else|do|while|env|\w+=.*|time|timeout|nice|exec|command|sudo|npx|bunx|uvx|dotenv)$/;
const runner = /^(?:(?:uv|poetry|pdm|pipenv|rye) run|(?:bundle|npm|pnpm|yarn) exec) /;
const shell = /^(?:\S*\/)?(?:ba|da|z|k)?sh$/;
const interpreter =
  /^(?:\S*\/)?(?:(?:ba|da|z|k)?sh|\.|source|node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|pwsh|lua)$/;
/** Options by which an interpreter does not run the file that follows. */
const noScript = { shell: /^-[a-z]*[cn]$/, other: /^(?:-[celmp]|--check|--eval|--print)$/ };
const configuration = /^(?:-c|-p|--config|--configuration|--file|--project|--rcfile)$/;

interface SimpleCommand {
  readonly words: readonly string[];
  /** Where it runs, relative to the line's folder. */
  readonly folder: string;
}

/** Returns the commands of shell lines, without redirections and what only starts the program, as far as they can be read. */
function simpleCommands(lines: readonly string[]): readonly SimpleCommand[] {
  return lines.flatMap((line) => {
    let folder = "";
    const parts = line.replace(/\d?>&?\s*\S+|<\s*\S+/g, "").split(/\|\||[;|()\n]|&(?!&)(?<!&&)/);
    return parts
      .flatMap((part) => commandsOf(part) ?? [])
      .map((words) => {
        const [name, target] = words;
        if (name === "cd" && target) folder = posix.join(folder, target);
        return { words: withoutPrefix(words), folder };
      });
  });
}

function withoutPrefix(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !prefix.test(word));
  const own = at < 0 ? [] : words.slice(at);
  return runner.test(own.join(" ")) ? own.slice(2) : own;
}

/** Returns the files that commands run or are configured by, as paths relative to the project. */
function filesNamed(commands: readonly SimpleCommand[]): ReadonlySet<string> {
  return new Set(
    commands.flatMap(({ words, folder }) =>
      namesIn(words).map((name) => posix.normalize(posix.join(folder, name))),
    ),
  );
}

function namesIn([program = "", ...args]: readonly string[]): readonly string[] {
  if (interpreter.test(program)) {
    const [option = "", line = ""] = args;
    if (shell.test(program) && option === "-c") return [...filesNamed(simpleCommands([line]))];
    const words = args.filter((word) => !word.startsWith("-") && word !== "run");
    // `node --import tsx check.mjs`
    const script = words.find((word) => /[./]/.test(word)) ?? words[0] ?? "";
    const instead = shell.test(program) ? noScript.shell : noScript.other;
    return args.slice(0, args.indexOf(script)).some((word) => instead.test(word)) ? [] : [script];
  }
  const named = args.flatMap((word, n) => {
    const [option = "", value] = word.split("=", 2);
    const isNamed = configuration.test(option) || (option === "-f" && program.endsWith("make"));
    return isNamed ? [value ?? args[n + 1] ?? ""] : [];
  });
  return [program, ...(ownFiles[posix.basename(program)] ?? []), ...named];
}

/** The files that programs read without being told to. */
const ownFiles: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile"],
  nox: ["noxfile.py"],
  tox: ["tox.ini"],
};

/** Returns the targets that the lines have make build. */
export function goalsOf(lines: readonly string[]): readonly string[] {
  return goalsIn(simpleCommands(lines));
}

function goalsIn(commands: readonly SimpleCommand[]): readonly string[] {
  return commands.flatMap(({ words: [program = "", ...args] }) =>
    posix.basename(program) === "make" ? args.filter((word) => /^[^-=][^=]*$/.test(word)) : [],
  );
}

/** Returns the folders where commands run, as paths that end with `/`; "" is the project. */
function foldersOf(commands: readonly SimpleCommand[]): readonly string[] {
  const folders = commands.map(({ folder }) => posix.normalize(folder || "."));
  return [...new Set(folders.map((folder) => (folder === "." ? "" : `${folder}/`)))];
}

/** The programs that run package scripts. */
const managers = /^(?:npm|pnpm|yarn|bun|npm-run-all|run-s|run-p|turbo|nx|lerna)$/;

/** Returns the package scripts that the lines run, and those that these run, with their `pre` and `post`. */
export function scriptsRun(
  lines: readonly string[],
  scripts: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const run = new Map<string, string>();
  const queue = [...lines];
  for (const line of queue) {
    const words = simpleCommands([line]).flatMap(({ words: [program = "", ...args] }) =>
      managers.test(program) ? args.map((word) => (word === "t" ? "test" : word)) : [],
    );
    for (const name of words.flatMap((word) => [word, `pre${word}`, `post${word}`])) {
      const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
      if (text === undefined || run.has(name)) continue;
      run.set(name, text);
      queue.push(text);
    }
  }
  return run;
}

/** The things that commands read besides the sources, as far as their texts say so. */
export interface CommandReads {
  /** The commands, and the package scripts and recipes that they run. */
  readonly lines: readonly string[];
  /** The files that these lines run or are configured by. */
  readonly named: ReadonlySet<string>;
  /** Returns true if a program of this name runs in the file's folder, or in a folder below. */
  readsFor(path: string, program: RegExp): boolean;
}

/** Commands that run those of all packages. */
const recursive =
  /\s--?(?:workspaces?|ws)\b|\bpnpm\s.*(?:-r|--recursive|--filter)\b|\b(?:turbo|nx|lerna|rush)\b|\btsc\s+(?:-b|--build)\b/;

/** Reads the commands; `textOf` returns the text of a file of the project, "" if there is none. */
export function commandReads(commands: readonly string[], textOf: (path: string) => string): CommandReads {
  let lines = commands;
  let read = simpleCommands(lines);
  // A Makefile runs package scripts, or a package script runs make.
  for (let round = 0; round < 2; round += 1) {
    lines = [...commands, ...packageScripts(lines, read, textOf), ...recipes(read, textOf)];
    read = simpleCommands(lines);
  }
  const named = filesNamed(read);
  const scripts = [...named].filter((path) => !isMakefile(path)).map(textOf);
  const text = [...lines, ...scripts].join("\n");
  const folders = foldersOf(read);
  const isRecursive = recursive.test(text);
  const isRead = (path: string): boolean => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    return named.has(path) || named.has(posix.dirname(path)) || folders.some((one) => one.startsWith(folder));
  };
  const readsFor = (path: string, program: RegExp): boolean =>
    isRecursive || (isRead(path) && program.test(text));
  return { lines, named, readsFor };
}

export function isMakefile(path: string): boolean {
  return /(?:^|\/)(?:GNUm|M|m)akefile$|\.mk$/.test(path);
}

function packageScripts(
  lines: readonly string[],
  commands: readonly SimpleCommand[],
  textOf: (path: string) => string,
): readonly string[] {
  return foldersOf(commands).flatMap((folder) => {
    const run = [...scriptsRun(lines, scriptsOf(textOf(`${folder}package.json`))).values()];
    return folder === "" ? run : run.map((script) => `cd ${folder} && ${script}`);
  });
}

function recipes(commands: readonly SimpleCommand[], textOf: (path: string) => string): readonly string[] {
  return [...filesNamed(commands)].filter(isMakefile).flatMap((path) => {
    const reached = linesForGoals(textOf(path).split("\n"), goalsIn(commands));
    const run = reached.filter((line) => line.startsWith("\t")).map((line) => line.replace(/^[\t @+-]+/, ""));
    const folder = posix.dirname(path);
    return folder === "." ? run : run.map((line) => `cd ${folder} && ${line}`);
  });
}

/** `target other: dependencies`, no assignment. */
const rule = /^([^\s#:=][^:=]*)::?(?!=)([^=]*)$/;
/** Files, patterns and variables are made for other targets; `.IGNORE` and similar ones concern all. */
const isNeeded = /[%$./]/;

interface Rule {
  readonly targets: readonly string[];
  readonly lines: string[];
}

/**
 * Returns the lines of a Makefile that matter to `make GOALS`: assignments, rules of files, and the rules of these targets and of what
 * they depend on. Without a goal the first target is made.
 */
export function linesForGoals(lines: readonly string[], goals: readonly string[]): readonly string[] {
  const rules = rulesIn(lines);
  const named = rules.flatMap(({ targets }) => targets.filter((name) => !isNeeded.test(name)));
  const reached = new Set(goals.length > 0 ? goals : named.slice(0, 1));
  const isReached = ({ targets }: Rule): boolean =>
    !targets.includes(".PHONY") && targets.some((name) => reached.has(name) || isNeeded.test(name));
  for (let before = -1; before < reached.size; ) {
    before = reached.size;
    for (const {
      lines: [head = ""],
    } of rules.filter(isReached))
      for (const name of (rule.exec(head)?.[2] ?? "").split(/[\s|]+/)) reached.add(name);
  }
  return rules.filter(isReached).flatMap((one) => one.lines);
}

function rulesIn(lines: readonly string[]): readonly Rule[] {
  const rules: Rule[] = [];
  for (const line of lines) {
    const [, names] = rule.exec(line) ?? [];
    if (names === undefined && /^\t|^\s*$/.test(line)) rules.at(-1)?.lines.push(line);
    else rules.push({ targets: names?.trim().split(/\s+/) ?? ["$"], lines: [line] });
  }
  return rules;
}

const growing = /^([\w.]+)\s*(?:[:+?]?=|:)/;

/** Returns a test of whether one of the lines is the same assignment or rule as the given one, with all its words and more. */
export function longerIn(lines: readonly string[]): (line: string) => boolean {
  const byName = new Map(lines.map((line) => [growing.exec(line)?.[1], line.split(/\s+/)]));
  return (line) => {
    const name = growing.exec(line)?.[1];
    const words = (name !== undefined && byName.get(name)) || [];
    let at = -1;
    return line.split(/\s+/).every((word) => {
      at = words.indexOf(word, at + 1);
      return at >= 0;
    });
  };
}
