import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

const root = resolve(import.meta.dirname, "../..");

/** What a command printed and its exit code. */
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

let server: Server | undefined;
let last: Promise<unknown> = Promise.resolve();

/** The commands that only read. What they answer is looked at after the command that a test is about. */
const reading =
  /^(?:__complete|task (?:list|show|tree)|log|memory (?:list|get|find|why|stats|lift)|note list|skills list)\b/;

/** Returns true for command lines that `query` runs as a process of their own would. */
export function isQuery(words: readonly string[]): boolean {
  return reading.test(words.join(" "));
}

/** Runs `ralph WORDS` of the built program in a process that serves all queries of this test process, one at a time. */
export function query(
  words: readonly string[],
  { dir, env }: { readonly dir: string; readonly env: Readonly<Record<string, string>> },
): Promise<Answer> {
  const answered = last.then(
    () =>
      new Promise<Answer>((done, failed) => {
        server ??= startServer();
        const { child, lines } = server;
        hold(child, true);
        const ended = (): void => {
          server = undefined;
          failed(new Error(`ralph ${words.join(" ")}: the process of the queries ended`));
        };
        child.once("exit", ended);
        lines.once("line", (line) => {
          child.off("exit", ended);
          hold(child, false);
          done(JSON.parse(line) as Answer);
        });
        child.stdin.write(`${JSON.stringify({ cwd: dir, env, words })}\n`);
      }),
  );
  last = answered.catch(() => undefined);
  return answered;
}

/** It ends with this process, whose end closes its stdin. */
function startServer(): Server {
  const argv = [join(import.meta.dirname, "query-server.mjs"), join(root, "dist/main.cjs")];
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
