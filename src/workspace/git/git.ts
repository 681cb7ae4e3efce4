import { relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RalphError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { runTool } from "../../process/run-tool.ts";
import type { ToolShell } from "../../process/tool-shell.ts";

/** The place where git runs: a `Workspace`, or a folder that is not one yet. */
export interface GitPlace {
  readonly topLevel: string;
  readonly env: Readonly<Record<string, string>>;
  /** The absolute path of git; absent: the first on the PATH, each time. */
  readonly program?: string | undefined;
  /** Starts git for a process that does so often; absent: each git is a fork of this process. */
  readonly shell?: ToolShell | undefined;
}

export interface GitOptions {
  readonly stdin?: string;
  readonly timeoutMs?: number;
  /** An index file to use in place of the user's. */
  readonly indexFile?: string;
  /** The file for trace2 events of git, an absolute path. */
  readonly traceFile?: string;
  /** `true` runs the user's hooks; pathspecs are then not literal, because hooks would inherit that option. */
  readonly hooks?: boolean;
  /** The folder to run hooks from in place of the user's. */
  readonly hooksPath?: string | undefined;
  /** Exit codes besides 0 that are valid results; "any" for all. */
  readonly accept?: readonly number[] | "any";
}

export interface GitResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** True: a Ctrl-C for ralph also interrupted git. */
  readonly interrupted: boolean;
}

/** Settings that prevent git from starting other programs and from background work. */
const quietSettings = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  // It states the trees and parents of commits, which git does not compare with them.
  "core.commitGraph=false",
  "core.quotePath=false",
  "maintenance.auto=false",
  "gc.auto=0",
];
const quiet = quietSettings.flatMap((setting) => ["-c", setting]);
const noHooks = ["-c", "core.hooksPath=/dev/null", "--literal-pathspecs"];

/** The value of GIT_CONFIG_PARAMETERS by which git passes these settings on to the programs that it starts. */
export const inheritedSettings: string = quietSettings.map((setting) => `'${setting}'`).join(" ");

/** Milliseconds between retries while another git holds a lock: two seconds in total. */
const lockRetries = [50, 100, 150, 200, 300, 400, 400, 400];
const lockMessage = /unable to create '(.{1,4096}?\.lock)': File exists/i;

/** Runs git at the top of the work tree. Throws RALPH_GIT_MISSING, RALPH_GIT_LOCKED (after 2 s) or RALPH_GIT_FAILED. */
export async function git(
  place: GitPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const { accept = [] } = options;
  const result = await runWithRetries(place, args, options);
  if (result.code === 0 || accept === "any") return result;
  if (result.code !== null && accept.includes(result.code)) return result;
  throw failed(args, result);
}

/** Runs a git command that only reads, without any lock, even for refreshing the index. Throws as `git`. */
export async function gitRead(
  place: GitPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  return git(place, ["--no-optional-locks", ...args], options);
}

/** Returns the paths that a command prints with `-z`. Throws as `git`. */
export async function gitPaths(
  place: GitPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string[]> {
  return splitNul((await gitRead(place, args, options)).stdout);
}

/** Returns the lines that a command prints. Throws as `git`. */
export async function gitLines(
  place: GitPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string[]> {
  return (await gitRead(place, args, options)).stdout.split("\n").filter(Boolean);
}

/** Splits NUL-terminated output. */
export function splitNul(output: string): string[] {
  return output.split("\0").filter((item) => item !== "");
}

/** Retries while another git holds a lock, and once after a Ctrl-C. */
async function runWithRetries(
  place: GitPlace,
  args: readonly string[],
  options: GitOptions,
): Promise<GitResult> {
  for (let attempt = 0; ; attempt++) {
    const result = await runOnce(place, args, options);
    const lock = result.code === 0 ? undefined : lockMessage.exec(result.stderr)?.[1];
    const again = result.interrupted && attempt === 0;
    if (lock === undefined && !again) return result;
    const wait = again ? 0 : lockRetries[attempt];
    if (wait === undefined) throw locked(lock ?? "a lock");
    await sleep(wait);
  }
}

function hookSettings({ hooks, hooksPath }: GitOptions): readonly string[] {
  if (!hooks) return noHooks;
  return hooksPath === undefined ? [] : ["-c", `core.hooksPath=${hooksPath}`];
}

/**
 * Hooks inherit the path. Git itself gives them a relative one, with which a repository that their tests make elsewhere gets an
 * index of its own.
 */
function indexPath({ topLevel }: GitPlace, path: string): string {
  const inside = relative(topLevel, path);
  return inside.startsWith(`.git${sep}`) ? inside : path;
}

async function runOnce(place: GitPlace, args: readonly string[], options: GitOptions): Promise<GitResult> {
  const argv = [place.program ?? "git", ...quiet, ...hookSettings(options), ...args] as const;
  const env = {
    ...place.env,
    ...(options.indexFile ? { GIT_INDEX_FILE: indexPath(place, options.indexFile) } : {}),
    ...(options.traceFile ? { GIT_TRACE2_EVENT: options.traceFile } : {}),
  };
  const call = {
    cwd: place.topLevel,
    env,
    timeoutMs: options.timeoutMs ?? 60_000,
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
  };
  const result = await (place.shell ? place.shell.run(argv, call) : runTool(argv, call));
  if (result.spawnError !== null) throw notStarted(result.spawnError);
  const { stdout, timedOut, signal, overflowed } = result;
  const code = timedOut || overflowed ? null : result.exitCode;
  const stderr = overflowed ? "its output is larger than 64 MiB" : result.stderr;
  return { code, stdout, stderr, timedOut, interrupted: signal === "SIGINT" };
}

function notStarted(why: string): RalphError {
  const isFull = /\bE(?:M|N)FILE\b/.test(why);
  return new RalphError(
    "RALPH_GIT_MISSING",
    `git could not be started: ${isFull ? "too many files are open" : why}`,
    {
      hint: isFull
        ? "Raise the limit (ulimit -n) and run the same command again."
        : "Install git 2.25 or newer and make sure that it is on your PATH.",
    },
  );
}

export function locked(lock: string): RalphError {
  return new RalphError("RALPH_GIT_LOCKED", `Another git process holds ${lock} and did not release it.`, {
    hint: `Let the other git (editor, terminal) finish and try again. If none is running, remove the stale lock: rm '${lock}'`,
  });
}

function failed(args: readonly string[], result: GitResult): RalphError {
  const name = args.find((arg) => /^[a-z]/.test(arg)) ?? "";
  const ended = result.code === null ? "it was killed" : `exit code ${result.code}`;
  const why = result.timedOut ? "it timed out" : lastLines(result.stderr || result.stdout, 4);
  return new RalphError("RALPH_GIT_FAILED", `git ${name} failed: ${oneLine(why) || ended}`);
}

/** Returns the last `max` non-blank lines of `text`. */
export function lastLines(text: string, max: number): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-max).join("\n");
}
