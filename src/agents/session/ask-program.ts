import { newId } from "../../base/ids.ts";
import { lineSplitter } from "../../process/line-splitter.ts";
import { runProcess } from "../../process/run-process.ts";
import { jsonRpcClient, type RpcClient } from "../formats/json-rpc-client.ts";

interface ProgramCall {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** One side of a conversation with a program. */
interface ProgramTalk {
  /** Begins it: the program runs. */
  start(): void;
  /** Takes a line of the program's stdout. */
  line(text: string): void;
}

const maxLineBytes = 8 * 1024 * 1024;
const answerMs = 60_000;

/**
 * Starts an agent's program, asks it something in its own protocol without a prompt, and ends it. `open` gets the way to write, and
 * to settle with what was learned. Null: it ended, or a while passed, without that.
 */
export async function askProgram<T>(
  call: ProgramCall,
  open: (write: (text: string) => void, settle: (answer: T | null) => void) => ProgramTalk,
): Promise<T | null> {
  const done = new AbortController();
  let answered: T | null = null;
  let write: (text: string) => void = () => undefined;
  const talk = open(
    (text) => write(text),
    (answer) => {
      answered = answer;
      done.abort();
    },
  );
  const lines = lineSplitter({ maxLineBytes, onLine: ({ text }) => talk.line(text) });
  await runProcess({
    ...{ ...call, marker: newId("ask", 6), isolation: "process-group" },
    ...{ timeoutMs: answerMs, idleTimeoutMs: null, signal: done.signal, stopSignal: "SIGTERM", graceMs: 500 },
    stdin: (input) => {
      write = (text) => void input.write(text);
      talk.start();
    },
    onStdout: lines.push,
  });
  return answered;
}

/** As `askProgram`, of a program that speaks JSON-RPC. */
export async function askByRpc<T>(
  call: ProgramCall,
  ask: (client: RpcClient) => Promise<T | null>,
): Promise<T | null> {
  return await askProgram<T>(call, (write, settle) => {
    const client = jsonRpcClient({ write }, { onRequest: () => null, onNotification: () => undefined });
    return { start: () => void ask(client).then(settle, () => settle(null)), line: client.line };
  });
}
