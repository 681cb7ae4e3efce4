import { posix } from "node:path";

/** A word with its quotes, an operator between commands, or a redirection. */
const token = /(?:'[^']*'|"[^"]*"|\\.|[^\s;&|()<>`'"\\])+|[;&|()`\n]|[<>]/g;
const quotes = /'([^']*)'|"([^"]*)"|\\(.)/g;
/** What stands before the program: assignments, keywords, programs that start another one with their options. */
const prefix =
  /^(?:\w+=.*|-.*|\d+[smhd]?|!|if|then|else|do|while|env|time|timeout|nice|exec|command|sudo|npx|bunx|uvx|dotenv)$/;
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

/** Returns the simple commands of a shell line, without quotes, redirections and what only starts the program. */
function simpleCommands(line: string): readonly SimpleCommand[] {
  const all: string[][] = [[]];
  for (const [text] of line.matchAll(token)) {
    if (/^[;&|()`\n]$/.test(text)) all.push([]);
    else if (!/^[<>]$/.test(text)) all.at(-1)?.push(text.replace(quotes, "$1$2$3"));
  }
  let folder = "";
  return all.map((words) => {
    const [name, target] = words;
    if (name === "cd" && target) folder = posix.join(folder, target);
    return { words: withoutPrefix(words), folder };
  });
}

function withoutPrefix(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !prefix.test(word));
  const own = at < 0 ? [] : words.slice(at);
  return runner.test(own.join(" ")) ? own.slice(2) : own;
}

/** Returns the files that the lines run or are configured by, as paths relative to the project. */
export function filesNamed(lines: readonly string[]): ReadonlySet<string> {
  const commands = lines.flatMap(simpleCommands);
  return new Set(
    commands.flatMap(({ words, folder }) =>
      [...namesIn(words), ...filesNamed(scriptsIn(words))].map((name) =>
        posix.normalize(posix.join(folder, name)),
      ),
    ),
  );
}

/** Returns the line of `sh -c`. */
function scriptsIn([program = "", option, line]: readonly string[]): readonly string[] {
  return shell.test(program) && option === "-c" && line !== undefined ? [line] : [];
}

function namesIn([program = "", ...args]: readonly string[]): readonly string[] {
  if (interpreter.test(program)) {
    const words = args.filter((word) => !word.startsWith("-") && word !== "run");
    // `node --import tsx check.mjs`
    const script = words.find((word) => /[./]/.test(word)) ?? words[0] ?? "";
    const instead = shell.test(program) ? noScript.shell : noScript.other;
    return args.slice(0, args.indexOf(script)).some((word) => instead.test(word)) ? [] : [script];
  }
  const named = args.flatMap((word, n) => {
    const [option = "", value] = word.split("=", 2);
    return configuration.test(option) || (option === "-f" && program.endsWith("make"))
      ? [value ?? args[n + 1] ?? ""]
      : [];
  });
  return [program, ...named];
}

/** Returns the programs that the lines start, by name, without their folders. */
export function programsOf(lines: readonly string[]): ReadonlySet<string> {
  return new Set(
    lines.flatMap((line) => simpleCommands(line).map(({ words }) => posix.basename(words[0] ?? ""))),
  );
}

/** Returns the folders where the lines run, as paths that end with `/`; "" is the project. */
export function foldersOf(lines: readonly string[]): readonly string[] {
  const folders = lines.flatMap((line) => simpleCommands(line).map(({ folder }) => folder));
  return [...new Set(folders.map((folder) => (folder === "" || folder === "." ? "" : `${folder}/`)))];
}

/** The programs that run package scripts. */
const managers = new Set([
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "npm-run-all",
  "run-s",
  "run-p",
  "turbo",
  "nx",
  "lerna",
]);

/** Returns the package scripts that the lines run, and those that these run, with their `pre` and `post`. */
export function scriptsRun(
  lines: readonly string[],
  scripts: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const run = new Map<string, string>();
  const queue = [...lines];
  for (const line of queue) {
    const words = simpleCommands(line).flatMap(({ words: [program = "", ...args] }) =>
      managers.has(program) ? args.map((word) => (word === "t" ? "test" : word)) : [],
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
