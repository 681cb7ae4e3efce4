import { normalize, relative, resolve } from "node:path";
import { clip, shellWord } from "../base/text.ts";
import type { ProcessResult } from "../process/run-process.ts";
import { withoutControls } from "../trust/safe-text.ts";
import { type CannotRun, type CommandPlace, preflight } from "./preflight.ts";

interface EndedCommand extends CommandPlace {
  readonly result: ProcessResult;
  /** The output of the command, redacted. */
  readonly text: string;
}

/**
 * Returns why a command could not be executed; null if it ran, even if it failed. A command could not be executed if it
 * did not start, if the shell cannot read it, if a package manager or make reports a missing script, an interpreter or `cd` a missing path, or if a program was
 * not found (126, 127) and either nothing ran before that or `preflight` finds it missing too.
 */
export async function whyItCannotRun(command: string, ended: EndedCommand): Promise<CannotRun | null> {
  const { result, text } = ended;
  if (result.ended === "spawn-failed")
    return { missing: result.spawnError ?? "it cannot be started", definedBy: [] };
  if (result.ended !== "exited" || result.exitCode === null || result.exitCode === 0) return null;
  const lines = meaningfulLines(text);
  const [first = ""] = lines;
  const script = missingIn(command, lines, ended.cwd);
  const notFound = first.length > maxMessageChars ? null : notFoundLine.exec(first);
  const isCode = result.exitCode === 126 || result.exitCode === 127;
  if (!script && !notFound && !isCode) return null;
  const found = (await preflight(command, ended)) ?? script;
  if (found) return found;
  if (!isCode || !(notFound || lines.length <= 1)) return null;
  const missing = clip(first, maxLineChars) || `exit code ${result.exitCode} without output`;
  return { missing, definedBy: notFound?.[1] ? [normalize(notFound[1])] : [] };
}

/** Messages of /bin/sh about a line that is for bash, or that no shell can read. */
const unknownToShell =
  /^\/bin\/sh: (?:line )?\d+: (set: [Ii]llegal option .*|Bad substitution|[Ss]yntax error: .*|(?:\[\[|source|shopt|pushd|popd|declare|mapfile): not found)$/;

function forOtherShell(command: string, message: string): CannotRun | null {
  const says = unknownToShell.exec(message)?.[1];
  if (says === undefined) return null;
  const inBash = `bash -c ${shellWord(command)}`;
  return { missing: `verify runs in /bin/sh, which says "${says}": write \`${inBash}\``, definedBy: [] };
}

function missingIn(command: string, lines: readonly string[], cwd: string): CannotRun | null {
  const [first = ""] = lines;
  return forOtherShell(command, first) ?? noScript(first) ?? noFile(lines, cwd);
}

const maxLineChars = 200;
/** Lines that package managers print before a script runs, including warnings of npm. */
const banner = /^(?:> |\$ |npm (?:warn|notice) |yarn run v)/i;

function meaningfulLines(text: string): readonly string[] {
  return withoutControls(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !banner.test(line));
}

/** A longer line is not a message of a shell. The pattern below needs quadratic time on some lines. */
const maxMessageChars = 5000;
/** Messages of shells, `env` and loaders; the group is the name that was not found. */
const notFoundLine =
  /(?:^|[\s:'"‘])([^\s:'"‘’]+)['"’]?: (?:(?:command )?not found|No such file or directory|Permission denied|cannot execute.*|bad interpreter.*|Exec format error)$/i;

const noScripts: readonly (readonly [RegExp, string])[] = [
  [/^npm (?:error|ERR!) Missing script: "?([^"]+)"?$/, "package.json"],
  [/^ERR_PNPM_NO_SCRIPT\S*\s+Missing script: (.+)$/, "package.json"],
  [/^error Command "(.+)" not found\.$/, "package.json"],
  [/^Usage Error: Couldn't find a script named "(.+)"/, "package.json"],
  [/^error: Script not found "(.+)"$/, "package.json"],
  [/^make: \*\*\* No rule to make target [`']([^`']+)'\.\s+Stop\.$/, "Makefile"],
];

function noScript(line: string): CannotRun | null {
  for (const [pattern, file] of noScripts) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined)
      return { missing: `${file} has no "${clip(name, maxLineChars)}"`, definedBy: [file] };
  }
  const module = /^\S*python[\d.]*: No module named ([\w.]+)$/.exec(line)?.[1];
  if (module === undefined) return null;
  const path = module.split(".", 1)[0] ?? module;
  return { missing: `Python has no module "${module}"`, definedBy: [path, `${path}.py`] };
}

/** First lines of dash, Python, Perl, `node --test`, and of a shell's `cd`, about the path in the group. */
const noFiles: readonly RegExp[] = [
  /^\S+: 0: cannot open (.+): No such file$/,
  /^\S*python[\d.]*: can't open file '(.+)': \[Errno 2\] /,
  /^Can't open perl script "(.+)": No such file or directory$/,
  /^Could not find '(.+)'$/,
  /^\S+: (?:line )?\d+: cd: (?:can't cd to (.+)|(.+): No such file or directory)$/,
];
/** Node says so after the lines of its own code; a module that the file itself lacks has a stack of those that require it. */
const noModule = /^Error: Cannot find module '(.+)'$/;
const nodeLines = 6;

function noFile(lines: readonly string[], cwd: string): CannotRun | null {
  const [first = ""] = lines;
  if (first.length > maxMessageChars) return null;
  const isNode = first.startsWith("node:internal/") && lines.includes("requireStack: []");
  const found = isNode
    ? lines.slice(0, nodeLines).map((line) => noModule.exec(line))
    : noFiles.map((pattern) => pattern.exec(first));
  const path = found.flatMap((match) => match?.slice(1) ?? []).find((group) => group !== undefined);
  if (path === undefined) return null;
  const name = relative(cwd, resolve(cwd, path));
  return { missing: `there is no ${clip(name, maxLineChars)}`, definedBy: [name] };
}

export interface VerificationAttempt {
  /** The reason why verification could not execute the command. */
  readonly cannotRun: CannotRun;
  /** It was executed in this run. */
  readonly ranBefore: boolean;
  /** The results of `preflight` before and after the attempt. */
  readonly before: CannotRun | null;
  readonly after: CannotRun | null;
  /** The files that the task changed, relative to the project's root. */
  readonly files: readonly string[];
  /** The changed files that define verification: scripts, configuration, files that the command runs. */
  readonly definitions: readonly string[];
}

/**
 * Returns true if the task's own changes prevent its verification from being executed. An agent that removes a script or
 * a program has failed; the run must not end as if the environment were broken.
 */
export function isCausedByWork(attempt: VerificationAttempt): boolean {
  const { cannotRun, ranBefore, before, after, files, definitions } = attempt;
  if (before?.missing !== after?.missing) return true;
  // A program that a test looks for and does not find ends the command in the same way.
  if (ranBefore && after === null) return true;
  const isDefinedBy = (file: string): boolean =>
    cannotRun.definedBy.some((path) => file === path || file.startsWith(`${path}/`));
  const causes = files.filter(
    (file) => isDefinedBy(file) && (!isManifest(file) || definitions.includes(file)),
  );
  return causes.length > 0 || (after === null && definitions.length > 0);
}

/** Returns true for a package.json: a change outside its scripts, such as a new dependency, removes no script. */
function isManifest(file: string): boolean {
  return /(?:^|\/)package\.json$/.test(file);
}
