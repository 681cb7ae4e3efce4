/** A command of a shell text: its program, and the arguments up to the next separator. */
export interface ExecutedCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** More of a text is not read: it would not be a script that a person wrote. */
const maxChars = 64 * 1024;
const maxCommands = 500;

/** Ends of commands: also of substitutions and groups, and the prefixes of lines in a Makefile. */
const separators = /\n\t?[@+-]*|[;&|(){}`]+/;
const keywords: ReadonlySet<string> = new Set(
  "! if then elif else while until do time exec command env nice nohup sudo xargs".split(" "),
);
const assignment = /^[A-Za-z_]\w*=/;
const quotes = /^["']+|["']+$/g;

/**
 * Finds the commands that a shell text executes, roughly: quotes and expansions are not evaluated, and a word in the
 * wrong place names a program that does not exist. Linear time.
 */
export function executedCommands(text: string): readonly ExecutedCommand[] {
  const commands: ExecutedCommand[] = [];
  const joined = text.slice(0, maxChars).replaceAll("\\\n", " ").replaceAll("$(", "(");
  for (const part of `\n${joined}`.split(separators)) {
    const words = part
      .split(/\s+/)
      .map((word) => word.replace(quotes, ""))
      .filter(Boolean);
    const first = words.findIndex((word) => !assignment.test(word) && !keywords.has(word) && word[0] !== "-");
    const [program, ...args] = first < 0 ? [] : words.slice(first);
    if (program === undefined || program.startsWith("#")) continue;
    commands.push({ program, args });
    if (commands.length >= maxCommands) break;
  }
  return commands;
}

const interpreters =
  /^(?:\.|source|(?:ba|da|k|z)?sh|node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|pwsh)$/;
const packageManagers = /^(?:npm|pnpm|yarn|bun)$/;

/** Returns the words of a command that may name a file which it executes. */
export function executedFiles({ program, args }: ExecutedCommand): readonly string[] {
  if (program.includes("/")) return [program];
  if (!interpreters.test(program)) return [];
  // A flag can have a value of its own: `node --import ./setup.mjs test.mjs`.
  const files = args.filter((word) => !word.startsWith("-"));
  return files.slice(0, 3).filter((word) => /[./]/.test(word));
}

/** Returns the names of the package scripts that a command runs. */
export function executedScripts({ program, args }: ExecutedCommand): readonly string[] {
  if (!packageManagers.test(program)) return [];
  const [verb, name] = args.filter((word) => !word.startsWith("-"));
  const script = verb === "run" || verb === "run-script" ? name : verb === "t" ? "test" : verb;
  return script === undefined ? [] : [`pre${script}`, script, `post${script}`];
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
