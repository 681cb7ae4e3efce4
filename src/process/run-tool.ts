import { type ChildProcess, spawn } from "node:child_process";
import { messageOf } from "../base/errors.ts";
import { systemPath } from "./isolation-probe.ts";

export interface ToolOptions {
  readonly cwd: string;
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | undefined;
  readonly timeoutMs: number;
}

export interface ToolResult {
  /** Why it could not be started; the message of ENOENT names the program. */
  readonly spawnError: string | null;
  /** Null if it was not started or was ended by a signal. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** True: the program wrote more than 64 MiB and was killed. */
  readonly overflowed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** The most that a tool may write to stdout and stderr together. */
export const maxToolOutputBytes: number = 64 * 1024 * 1024;
/** Time between SIGTERM and SIGKILL: git needs it to remove its lock files. */
export const toolGraceMs = 3000;
/** A million files take seconds. */
const removalMs = 60_000;

/**
 * Runs a short-lived tool such as git and collects its output. It stays in our process group, without a namespace, so
 * Ctrl-C reaches it too. Never throws because of the tool.
 */
export async function runTool(
  argv: readonly [string, ...string[]],
  options: ToolOptions,
): Promise<ToolResult> {
  const [program, ...args] = argv;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...options.env },
      stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      windowsHide: true,
    });
  } catch (error) {
    return { ...nothing, spawnError: messageOf(error) };
  }
  return await collect(child, options);
}

/** Returns the environment for the system's own tools: an agent may have put others into a folder of the user's PATH. */
export function systemFirst(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { ...env, PATH: [systemPath, env["PATH"] ?? ""].filter(Boolean).join(":") };
}

/**
 * Removes what others may have filled, beside the event loop: also folders deeper than paths can be, and closed ones. Follows
 * no link. What cannot be removed stays.
 */
export async function removeTree(path: string, env: Readonly<Record<string, string>>): Promise<void> {
  const run = (...argv: [string, ...string[]]): Promise<ToolResult> =>
    runTool(argv, { cwd: "/", env: systemFirst(env), timeoutMs: removalMs });
  const { exitCode } = await run("rm", "-rf", "--", path);
  if (exitCode === 0) return;
  await run("chmod", "-R", "u+rwX", "--", path);
  await run("rm", "-rf", "--", path);
}

const nothing: ToolResult = {
  spawnError: null,
  exitCode: null,
  signal: null,
  timedOut: false,
  overflowed: false,
  stdout: "",
  stderr: "",
};

async function collect(child: ChildProcess, { stdin, timeoutMs }: ToolOptions): Promise<ToolResult> {
  let total = 0;
  let timedOut = false;
  let last: NodeJS.Timeout | undefined;
  const end = (): void => {
    last ??= setTimeout(() => child.kill("SIGKILL"), toolGraceMs);
    child.kill("SIGTERM");
    // A process that it started may hold its pipes open indefinitely.
    closePipes(child);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  const gather = (stream: NodeJS.ReadableStream | null): Buffer[] => {
    const chunks: Buffer[] = [];
    stream?.on("data", (chunk: Buffer) => {
      total += chunk.length;
      if (total > maxToolOutputBytes) end();
      else chunks.push(chunk);
    });
    return chunks;
  };
  child.once("exit", () => closeWhenSilent(child));
  const stdout = gather(child.stdout);
  const stderr = gather(child.stderr);
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(stdin);

  const ended = await new Promise<Pick<ToolResult, "spawnError" | "exitCode" | "signal">>((resolve) => {
    child.once("error", (error) => resolve({ spawnError: error.message, exitCode: null, signal: null }));
    child.once("close", (exitCode, signal) => resolve({ spawnError: null, exitCode, signal }));
  });
  clearTimeout(timer);
  clearTimeout(last);
  return {
    ...ended,
    timedOut,
    overflowed: total > maxToolOutputBytes,
    stdout: Buffer.concat(stdout).toString("utf8"),
    stderr: Buffer.concat(stderr).toString("utf8"),
  };
}

/** Milliseconds without output after the tool's end. */
const silentMs = 1000;

/** Something that the tool started, such as a daemon of a git hook, may hold its pipes open indefinitely. */
function closeWhenSilent(child: ChildProcess): void {
  const timer = setTimeout(() => closePipes(child), silentMs);
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", () => timer.refresh());
  child.once("close", () => clearTimeout(timer));
}

function closePipes(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}
