import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { lookThrough } from "../base/careful-files.ts";
import { shellWord } from "../base/text.ts";
import { findProgram } from "./find-program.ts";
import { sendSignal } from "./kill-leftovers.ts";
import { childrenOf } from "./process-table.ts";
import { maxToolOutputBytes, runTool, type ToolOptions, type ToolResult, toolGraceMs } from "./run-tool.ts";
import { openToolFiles, type ToolFiles } from "./tool-files.ts";

type Argv = readonly [string, ...string[]];
type Env = Readonly<Record<string, string>>;

/** Runs short-lived tools, one after the other, with the contract of `runTool`. */
export interface ToolShell {
  run(argv: Argv, options: ToolOptions): Promise<ToolResult>;
  /** Ends the shell, after the tool that it runs. `run` works on without it. */
  end(): void;
}

/**
 * Starts a shell that starts tools for this process, because a `fork` copies the page tables of the process that calls it:
 * 5 ms for 70 MB, .3 ms for a shell. It ends with this process at the latest. What it cannot do, `runTool` does: a second tool
 * at the same time, an environment that lacks a variable of `env`, anything after the shell's end, and systems other than Linux.
 */
export function startToolShell(env: Env): ToolShell {
  if (!isPossible(env)) return { run: runTool, end: () => undefined };
  // In our process group: Ctrl-C reaches the tools, and the shell only waits for them.
  const child = spawn("/bin/sh", [], { cwd: "/", env: { ...env }, stdio: ["pipe", "pipe", "ignore"] });
  const ask = conversation(child);
  const program = rememberPrograms();
  return {
    async run(argv, options) {
      const start = ask.isFree() ? startLine(argv, options, { env, program }) : undefined;
      const files = start && filesFor(options);
      if (!start || !files) return runTool(argv, options);
      try {
        endWithUs(child);
        const result = await collect(child, { files, options, status: ask.run(start(files)) });
        return result ?? (await runTool(argv, options));
      } finally {
        busy.delete(child);
        files.close();
      }
    },
    end: ask.end,
  };
}

/** The shells whose tool runs. */
const busy = new Set<ChildProcess>();
let isListening = false;

/** Ends the tool of a shell with this process: a second signal ends us at once, and git would read a huge file to its end. */
function endWithUs(shell: ChildProcess): void {
  busy.add(shell);
  if (isListening) return;
  isListening = true;
  process.once("exit", () => {
    for (const one of busy) signalTools(one, "SIGTERM");
  });
}

/** Undefined without room or descriptors: the tool itself may need neither. */
function filesFor({ stdin }: ToolOptions): ToolFiles | undefined {
  try {
    return openToolFiles(stdin);
  } catch {
    return undefined;
  }
}

/** A shell that is not Bash ignores names that are not words; Bash would make functions of some. */
function isPossible(env: Env): boolean {
  const isLinux = process.platform === "linux" && existsSync(`/proc/${process.pid}/fd`);
  return isLinux && Object.keys(env).every((name) => word.test(name));
}

const word = /^[A-Za-z_][A-Za-z0-9_]*$/;
const maxLine = 100_000;

type FindProgram = (name: string, options: ToolOptions) => string | undefined;

/** Finds a program once. The shell cannot start one that has gone since. */
function rememberPrograms(): FindProgram {
  const found = new Map<string, string>();
  return (name, options) => {
    const key = `${name}\0${options.env["PATH"]}\0${name.includes("/") ? options.cwd : ""}`;
    const path = found.get(key) ?? findProgram(name, options);
    if (path !== undefined) found.set(key, path);
    return path;
  };
}

/** Returns a function that makes the shell's command; undefined if the shell cannot start this tool. */
function startLine(
  argv: Argv,
  options: ToolOptions,
  shell: { readonly env: Env; readonly program: FindProgram },
): ((files: ToolFiles) => string) | undefined {
  const variables = differences(options.env, shell.env);
  const program = shell.program(argv[0], options);
  if (!variables || !program || !lookThrough(options.cwd)?.isDirectory()) return undefined;
  const words = [...variables, ...[program, ...argv.slice(1)].map(shellWord)].join(" ");
  const line = `cd -- ${shellWord(options.cwd)} && ${words}`;
  if (line.length > maxLine || line.includes("\0")) return undefined;
  return ({ stdin, stdout, stderr }) => `${line} <${stdin} >${stdout} 2>${stderr} 3>&-`;
}

/** The assignments that turn the environment `from` into `to`; undefined if a variable would have to go. */
function differences(to: Env, from: Env): readonly string[] | undefined {
  if (Object.keys(from).some((name) => to[name] === undefined)) return undefined;
  const changed = Object.entries(to).filter(([name, value]) => from[name] !== value);
  if (!changed.every(([name]) => word.test(name))) return undefined;
  return changed.map(([name, value]) => `${name}=${shellWord(value)}`);
}

interface Conversation {
  /** False while a command runs, and for ever after the shell's end. */
  isFree(): boolean;
  /** Returns the command's exit status as the shell gives it; null if the shell ended. */
  run(command: string): Promise<number | null>;
  /** Ends the shell once it has reported for a command that runs. */
  end(): void;
}

function conversation(child: ChildProcess): Conversation {
  let ended = false;
  let waiting: { readonly mark: string; readonly settle: (status: number | null) => void } | undefined;
  let text = "";
  const stdout = child.stdout as Socket | null;
  const settle = (status: number | null): void => {
    const { settle: report } = waiting ?? {};
    waiting = undefined;
    child.unref();
    stdout?.unref();
    report?.(status);
  };
  const end = (): void => {
    ended = true;
    settle(null);
  };
  for (const event of ["error", "exit"]) child.once(event, end);
  child.stdin?.on("error", end);
  stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const [mark, status] = line.split(" ");
      if (waiting && mark === waiting.mark) settle(Number(status));
    }
  });
  (child.stdin as Socket | null)?.unref();
  settle(null);
  // Tools do not inherit the descriptor on which the shell reports.
  child.stdin?.write("trap : INT TERM HUP QUIT; exec 3>&1 >&2\n");
  return {
    isFree: () => !ended && waiting === undefined,
    run: (command) =>
      new Promise((resolve) => {
        // Nobody else can report for the shell: the mark is new for each command.
        const mark = randomUUID();
        waiting = { mark, settle: resolve };
        child.ref();
        stdout?.ref();
        child.stdin?.write(`${command}; echo ${mark} $? >&3\n`);
      }),
    end: () => {
      ended = true;
      child.stdin?.end();
    },
  };
}

interface RunningTool {
  readonly files: ToolFiles;
  readonly options: ToolOptions;
  readonly status: Promise<number | null>;
}

const watchMs = 200;
/** How a shell reports the signals that end tools: 128 + n. Git's own errors are 128 and 129. */
const signals = new Map([
  [130, "SIGINT"],
  [137, "SIGKILL"],
  [143, "SIGTERM"],
]);
/** The shell's own: the program was not started. */
const notStarted = [126, 127];

/** Waits for the tool, within its limits. Undefined: the shell could not start it. */
async function collect(
  shell: ChildProcess,
  { files, options, status }: RunningTool,
): Promise<ToolResult | undefined> {
  const startedMs = performance.now();
  let [timedOut, overflowed] = [false, false];
  let last: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (last) return;
    signalTools(shell, "SIGTERM");
    last = setTimeout(() => {
      signalTools(shell, "SIGKILL");
      // A shell that then reports no end was itself stopped.
      last = setTimeout(() => shell.kill("SIGKILL"), watchMs);
    }, toolGraceMs);
  };
  const watch = setInterval(() => {
    timedOut ||= performance.now() - startedMs >= options.timeoutMs;
    overflowed ||= files.size() > maxToolOutputBytes;
    if (timedOut || overflowed) end();
  }, watchMs);
  const code = await status;
  clearInterval(watch);
  clearTimeout(last);
  if (code !== null && notStarted.includes(code)) return undefined;
  const signal = code === null ? "SIGKILL" : (signals.get(code) ?? null);
  overflowed ||= files.size() > maxToolOutputBytes;
  return {
    spawnError: null,
    exitCode: signal === null ? code : null,
    signal,
    timedOut,
    overflowed,
    ...files.read(maxToolOutputBytes),
  };
}

function signalTools(shell: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  for (const pid of childrenOf(shell.pid ?? 0)) sendSignal(pid, signal);
}
