import { isAbsolute, relative, resolve } from "node:path";
import { lookThrough } from "../base/careful-files.ts";
import { findProgram } from "../process/find-program.ts";
import { findScript } from "./package-script.ts";
import { commandsOf } from "./shell-words.ts";

/** The reason why a verification command cannot be executed at all, whatever the state of the work. */
export interface CannotRun {
  /** The missing thing as a clause: `package.json has no script "lint"`. */
  readonly missing: string;
  /** Paths relative to the project's root that would provide it. */
  readonly definedBy: readonly string[];
}

export interface CommandPlace {
  /** The project's root, where the command runs. */
  readonly cwd: string;
  /** The command's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Commands and keywords of POSIX shells. The commands after a keyword are not inspected. */
const builtins: ReadonlySet<string> = new Set(
  `. : [ alias bg break case command continue do done echo elif else esac eval exec exit export false fg fi for getopts
   hash if in jobs kill let local printf pwd read readonly return set shift source test then time times trap true type
   ulimit umask unalias unset until wait while`.split(/\s+/),
);
/** Maximum nesting of scripts that run scripts. */
const maxDepth = 5;

/**
 * Finds what `command` lacks before it can start, without executing anything: its folder, its program, the package script
 * that it names and the program of that script. Returns null if nothing is missing or the line is too complex. A command
 * after `&&` can use what the previous one creates, so only its script is checked.
 */
export async function preflight(command: string, place: CommandPlace): Promise<CannotRun | null> {
  if (process.platform === "win32") return null;
  return inspect(command, { ...place, root: place.cwd, depth: 0, of: "" });
}

interface Inspection extends CommandPlace {
  readonly root: string;
  readonly depth: number;
  /** A relative clause: `, which the script "test" of package.json runs,`; "" for the command itself. */
  readonly of: string;
}

async function inspect(line: string, from: Inspection): Promise<CannotRun | null> {
  let here = from;
  let isFirst = true;
  for (const words of commandsOf(line) ?? []) {
    const [name, folder = ""] = words;
    const found = await inspectCommand(words, here, isFirst);
    if (found) return found;
    if (name === "cd") here = { ...here, cwd: resolve(here.cwd, folder) };
    else isFirst &&= builtins.has(name);
  }
  return null;
}

async function inspectCommand(
  words: readonly [string, ...string[]],
  from: Inspection,
  isFirst: boolean,
): Promise<CannotRun | null> {
  const [name, folder] = words;
  if (name === "cd") return isFirst && folder !== undefined ? missingFolder(folder, from) : null;
  if (builtins.has(name)) return null;
  const program = isFirst ? missingProgram(name, from) : null;
  return program ?? missingScript(words, from, isFirst);
}

function missingFolder(name: string, { cwd, root, of }: Inspection): CannotRun | null {
  const path = resolve(cwd, name);
  if (lookThrough(path)?.isDirectory()) return null;
  return { missing: `the folder ${name}${of} does not exist`, definedBy: inProject(root, path) };
}

function missingProgram(name: string, { cwd, env, root, of }: Inspection): CannotRun | null {
  if (findProgram(name, { cwd, env })) return null;
  if (!name.includes("/")) {
    return { missing: `the program "${name}"${of} was not found`, definedBy: [] };
  }
  const path = resolve(cwd, name);
  const problem = lookThrough(path) ? "is not an executable file" : "does not exist";
  return { missing: `${name}${of} ${problem}`, definedBy: inProject(root, path) };
}

async function missingScript(
  words: readonly string[],
  from: Inspection,
  isFirst: boolean,
): Promise<CannotRun | null> {
  const script = await findScript(words, from.cwd);
  if (!script) return null;
  const definedBy = inProject(from.root, script.file);
  if ("missing" in script) return { missing: `${script.missing}${from.of}`, definedBy };
  if (!isFirst || from.depth >= maxDepth) return null;
  const { text, folder, name, path } = script;
  const env = { ...from.env, PATH: `${path}:${from.env["PATH"] ?? ""}` };
  const of = `, which the script "${name}" of package.json runs,`;
  const found = await inspect(text, { ...from, cwd: folder, env, depth: from.depth + 1, of });
  return found && { ...found, definedBy: [...definedBy, ...found.definedBy] };
}

function inProject(root: string, path: string): readonly string[] {
  const inside = relative(root, path);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? [] : [inside];
}
