import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { lookThrough } from "../base/careful-files.ts";
import { messageOf } from "../base/errors.ts";
import { type SandboxWords, sandboxFirstProcess } from "./bubblewrap.ts";
import { findProgram } from "./find-program.ts";
import {
  firstProcess,
  type IsolationLevel,
  keepingCapabilities,
  namespacePrefix,
} from "./isolation-probe.ts";
import { sendSignal } from "./kill-leftovers.ts";
import { inheritedMark } from "./process-marks.ts";
import { childrenOf, parseStat, readProc } from "./process-table.ts";
import { mountScript } from "./view.ts";
import { watchGroup } from "./watch-for-death.ts";

/** Bytes that may wait for a program to read them: more than any answer, and than the messages of a session. */
const maxWaitingBytes = 16 * 1024 * 1024;

/** The open standard input of a program. Neither call throws or waits: what a program does not read is lost. */
export interface ProcessInput {
  /** Returns false, and writes nothing, when more than 16 MB wait for the program to read them. */
  write(text: string): boolean;
  /** Closes the input, which many programs take as the request to exit. */
  end(): void;
}

/** A whole input; or a function that gets the input and keeps it open until it calls `end` or the program exits. */
type ProcessStdin = string | Uint8Array | ((input: ProcessInput) => void);

export interface ChildStart {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The complete environment: nothing is inherited. `RALPH_MARKER` is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Absent: an empty input. A function is called once, before any output, and keeps the input open. */
  readonly stdin?: ProcessStdin | undefined;
  /** Marks the processes of this run in their environment; null: leftovers are found only if a scan saw them. */
  readonly marker: string | null;
  readonly isolation: IsolationLevel;
  /** The sandbox to start the program in; needs the level `pid-namespace`. */
  readonly sandbox?: SandboxWords | null | undefined;
}

export interface RunningChild {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Null unless `stdin` is a function, which the caller then calls with it. */
  readonly input: ProcessInput | null;
  /** `left`: the number of leftover processes, valid once `count` was read to its end; null without a namespace. */
  readonly namespace: { readonly count: Readable; readonly left: () => number } | null;
  readonly exit: Promise<ChildExit>;
  signalGroup(signal: "SIGINT" | "SIGTERM"): void;
  /** SIGKILL to the group. */
  kill(): void;
  /** The namespace's first process at `kill`, pid to start time: its end is the end of the whole namespace. */
  readonly lastSeen: ReadonlyMap<number, string>;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Starts the program as the leader of its own session and group; returns the reason as text if it cannot start. */
export async function startChild(start: ChildStart): Promise<RunningChild | string> {
  if (!isFolder(start.cwd)) return `the working folder ${start.cwd} does not exist`;
  const program = findProgram(start.argv[0], start);
  if (!program) return `ENOENT: ${start.argv[0]} was not found, or is not executable`;
  const namespaced = start.isolation === "pid-namespace";
  if (start.sandbox && !namespaced) return "the sandbox needs a PID namespace";
  const prefix = namespaced ? await firstWords(start) : await inheritedMark(start.marker);
  if (!prefix) return "this system does not allow a PID namespace";
  const [file = program, ...args] = [...prefix, program, ...start.argv.slice(1)];
  const input = start.stdin === undefined ? "ignore" : "pipe";
  const { cwd, env } = start;
  let child: ChildProcess;
  try {
    const count = namespaced ? (["pipe"] as const) : [];
    const stdio: StdioOptions = [input, "pipe", "pipe", ...count];
    child = spawn(file, args, { cwd, env: { ...env }, detached: true, windowsHide: true, stdio });
  } catch (error) {
    // E2BIG is thrown; ENOENT arrives as an event.
    return messageOf(error);
  }
  return await settled(child, start.stdin);
}

/** Returns the words that start the namespace, its first process and the sandbox, marked; undefined without a namespace. */
async function firstWords({ marker, sandbox }: ChildStart): Promise<readonly string[] | undefined> {
  const namespace = await namespacePrefix();
  if (!namespace) return undefined;
  const around = await inheritedMark(marker);
  if (!sandbox) return [...around, ...namespace, ...firstProcess("")];
  const { by, words } = sandbox;
  if (by !== "mounts") return [...around, ...namespace, ...sandboxFirstProcess, ...words];
  return [...around, ...keepingCapabilities(namespace), ...firstProcess(mountScript), ...words];
}

async function settled(child: ChildProcess, stdin: ProcessStdin | undefined): Promise<RunningChild | string> {
  const exit = new Promise<ChildExit>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  );
  const failure = new Promise<string>((resolve) => child.on("error", (error) => resolve(error.message)));
  const { pid, stdout, stderr } = child;
  if (pid === undefined || !stdout || !stderr) return await failure;
  void exit.then(watchGroup(pid));
  // A program may exit or never read its input: its exit is what counts, not an error of this pipe.
  child.stdin?.on("error", () => undefined);
  const isOpen = typeof stdin === "function";
  if (!isOpen) child.stdin?.end(stdin);
  const count = child.stdio[3] as Readable | null | undefined;
  // Windows has no groups: only the program itself is stopped there.
  const group = process.platform === "win32" ? pid : -pid;
  const lastSeen = new Map<number, string>();
  return {
    process: child,
    pid,
    stdout,
    stderr,
    input: isOpen && child.stdin ? inputOf(child.stdin) : null,
    namespace: count ? { count, left: readCount(count) } : null,
    lastSeen,
    exit,
    signalGroup: (signal) => void sendSignal(group, signal),
    kill() {
      if (count) rememberChild(pid, lastSeen);
      sendSignal(group, "SIGKILL");
    },
  };
}

function inputOf(stdin: Writable): ProcessInput {
  return {
    write(text) {
      if (stdin.writableLength > maxWaitingBytes) return false;
      if (stdin.writable) stdin.write(text);
      return true;
    },
    end: () => void stdin.end(),
  };
}

function readCount(stream: Readable): () => number {
  let text = "";
  // Listen from the start: at the exit, Node discards output that has no listener.
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  return () => Number.parseInt(text, 10) || 0;
}

function rememberChild(pid: number, seen: Map<number, string>): void {
  for (const child of childrenOf(pid)) {
    const entry = parseStat(readProc(child, "stat")?.toString("latin1") ?? "");
    if (entry) seen.set(entry.pid, entry.startTime);
  }
}

function isFolder(path: string): boolean {
  return lookThrough(path)?.isDirectory() ?? false;
}
