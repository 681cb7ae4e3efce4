import { RalphError } from "./errors.ts";
import { cleanText, shellWord } from "./text.ts";

/** A shell command line; its exit code 0 means that the work is correct. */
export interface VerifyCommand {
  readonly run: string;
  /** Milliseconds, or null for the default. */
  readonly timeoutMs: number | null;
  /** Globs of changed files, relative to the project, for which the command runs. Absent: it runs for every change. */
  readonly when?: readonly string[];
}

/**
 * How changes that weaken verification are treated (LOOP-18). off: not at all; report: as warnings; strict: the attempt
 * fails; clean: as warnings, and verification runs in a separate work tree without them.
 */
export type VerifyGuard = "off" | "report" | "strict" | "clean";

/** A verification command as a configuration states it: `in` is the folder where it runs, relative to the project. */
export interface VerifySetting extends VerifyCommand {
  readonly in?: string;
}

/** Returns the command to execute: the folder becomes part of the command line. */
export function toCommand({ in: folder, run, ...rest }: VerifySetting): VerifyCommand {
  return { ...rest, run: folder === undefined ? run : runInFolder(folder, run) };
}

/**
 * Returns the command that a person typed. Throws `RALPH_USAGE` with the hint for an empty one: a shell would accept any work
 * with it.
 */
export function typedCommand(run: string, hint: string): VerifyCommand {
  if (cleanText(run).trim() !== "") return { run, timeoutMs: null };
  throw new RalphError("RALPH_USAGE", `invalid --verify ${JSON.stringify(run)}: expected a command`, {
    hint,
  });
}

/** The time limit of a verification command that sets none. */
export const defaultVerifyTimeoutMs: number = 10 * 60_000;

/** Returns a command line that runs `run` in `folder` and fails when there is no such folder. */
function runInFolder(folder: string, run: string): string {
  const path = folder.startsWith("-") ? `./${folder}` : folder;
  const quoted = shellWord(path);
  // Anything but commands joined by && could run without the folder.
  const isSimple = !/[;|&\n#(){}]/.test(run.replaceAll("&&", ""));
  if (isSimple) return `cd ${quoted} && ${run}`;
  // A comment would hide a parenthesis on its line.
  return /[\n#]/.test(run) ? `cd ${quoted} && (\n${run}\n)` : `cd ${quoted} && (${run})`;
}
