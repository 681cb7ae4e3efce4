import { posix } from "node:path";
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

/** Returns the files that the lines run or are configured by, as paths relative to the project. */
export function filesNamed(lines: readonly string[]): ReadonlySet<string> {
  return new Set(
    simpleCommands(lines).flatMap(({ words, folder }) =>
      namesIn(words).map((name) => posix.normalize(posix.join(folder, name))),
    ),
  );
}

function namesIn([program = "", ...args]: readonly string[]): readonly string[] {
  if (interpreter.test(program)) {
    const [option = "", line = ""] = args;
    if (shell.test(program) && option === "-c") return [...filesNamed([line])];
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
};

/** Returns the folders where the lines run, as paths that end with `/`; "" is the project. */
export function foldersOf(lines: readonly string[]): readonly string[] {
  const folders = simpleCommands(lines).map(({ folder }) => posix.normalize(folder || "."));
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
