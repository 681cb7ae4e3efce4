import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

const root = resolve(import.meta.dirname, "../..");

/** The output and exit code of a command. */
export interface Answer {
  /** Null: ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Server {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;
}

interface Handle {
  ref?(): unknown;
  unref?(): unknown;
}

/** A process that runs command lines, one at a time. */
interface CommandProcess {
  /** Runs `ralph WORDS`; with `release`, it has closed the store's file afterwards, as the end of a process does. */
  ask(words: readonly string[], place: Place, release: boolean): Promise<Answer>;
  isBusy(): boolean;
}

interface Place {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** The standard input of the command line. */
  readonly input?: string;
}

/** The commands that only read. What they answer is looked at after the command that a test is about. */
const reading =
  /^(?:__complete|task (?:list|show|tree)|log|memory (?:list|get|find|why|stats|lift)|note list|skills list)\b/;

/** Returns true for command lines that `query` runs as a process of their own would. */
export function isQuery(words: readonly string[]): boolean {
  return reading.test(words.join(" "));
}

/** Short commands that write: they read no standard input and ask nothing. */
const writing =
  /^(?:message|strategy|verify|events|task (?:add|edit|depend|done|fail|skip|reset|retry|split|remove|import|export|sync|next)|context|diff|undo|doctor|trust (?:approve --yes|show)|config|prompt show|note add|memory (?:store|validate|remove|restore|edit|approve|purge|import|export|share|unshare|review)|learnings|skills|journal (?:show|path|clear))\b/;

/** Returns true for command lines that the process of the queries may run when it closes their files afterwards. */
export function isShortCommand(words: readonly string[]): boolean {
  return writing.test(words.join(" ")) && !words.includes("-");
}

/** A process for the program whose built main module is `main`; it starts with the first command line. */
export function commandProcess(main: string = join(root, "dist/main.cjs")): CommandProcess {
  let server: Server | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const start = (): Server => {
    const made = startServer(main);
    // Also between two commands: what was written to a dead process would never be answered.
    made.child.once("exit", () => {
      server = undefined;
    });
    return made;
  };
  const send = (words: readonly string[], { dir, env, input }: Place, release: boolean): Promise<Answer> =>
    new Promise((done, failed) => {
      server ??= start();
      const { child, lines } = server;
      hold(child, true);
      const ended = (): void => {
        lines.off("line", answered);
        failed(new Error(`ralph ${words.join(" ")}: the process that runs commands ended`));
      };
      const answered = (line: string): void => {
        child.off("exit", ended);
        hold(child, false);
        done(JSON.parse(line) as Answer);
      };
      child.once("exit", ended);
      lines.once("line", answered);
      child.stdin.write(`${JSON.stringify({ cwd: dir, env, words, release, input })}\n`);
    });
  return {
    isBusy: () => waiting > 0,
    ask: (...asked) => {
      waiting += 1;
      const answered = last.then(() => send(...asked)).finally(() => (waiting -= 1));
      last = answered.catch(() => undefined);
      return answered;
    },
  };
}

const queries = commandProcess();
const runs = commandProcess();

/** Runs `ralph WORDS` of the built program in a process that serves all queries of this test process, one at a time. */
export function query(words: readonly string[], place: Place): Promise<Answer> {
  return queries.ask(words, place, !isQuery(words));
}

/**
 * As `query`, for `ralph run`, in a second process, so that queries are answered during the run. Undefined while that
 * process is at work on another run.
 */
export function queryRun(words: readonly string[], place: Place): Promise<Answer> | undefined {
  return runs.isBusy() ? undefined : runs.ask(words, place, true);
}

/** It ends with this process, whose end closes its stdin. */
function startServer(main: string): Server {
  // Threads that compile and collect would take the cores from the other test files.
  const argv = ["--expose-gc", "--single-threaded", join(import.meta.dirname, "query-server.mjs"), main];
  const child = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
  return { child, lines: createInterface({ input: child.stdout }) };
}

/** Whether this process goes on while nothing but the server is there to wait for. */
function hold(child: Server["child"], isWaiting: boolean): void {
  for (const handle of [child, child.stdin, child.stdout] as readonly Handle[]) {
    if (isWaiting) handle.ref?.();
    else handle.unref?.();
  }
}
