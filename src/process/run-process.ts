import { constants } from "node:os";
import { drainOutput } from "./drain-output.ts";
import { killLeftovers } from "./kill-leftovers.ts";
import { type ChildExit, type ChildStart, type RunningChild, startChild } from "./start-child.ts";
import { type StopCause, type StopLadder, stopLadder } from "./stop-ladder.ts";
import { type DescendantWatch, watchDescendants } from "./track-descendants.ts";
import { type Deadlines, watchDeadlines } from "./watch-deadlines.ts";

export type { ProcessInput } from "./start-child.ts";

export interface ProcessRequest extends ChildStart {
  readonly timeoutMs: number | null;
  /** Maximum time without output on stdout or stderr. */
  readonly idleTimeoutMs: number | null;
  /** While it returns true, silence is expected and `idleTimeoutMs` does not apply. */
  readonly silenceExpected?: (() => boolean) | undefined;
  /** Aborted: the stop ladder begins. */
  readonly signal: AbortSignal;
  /** Aborted: straight to SIGKILL. */
  readonly forceSignal?: AbortSignal | undefined;
  /** Aborted: the caller sees from the output that the program cannot succeed; the stop ladder begins. */
  readonly hopeless?: AbortSignal | undefined;
  /** The stop ladder's first signal. Default SIGINT. */
  readonly stopSignal?: "SIGINT" | "SIGTERM" | undefined;
  /** Time between the first signal and SIGKILL. Default 3 s. */
  readonly graceMs?: number | undefined;
  /** Called when the program has just been started. */
  readonly onStart?: (() => void) | undefined;
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  readonly onStderr?: ((chunk: Buffer) => void) | undefined;
  /** For programs that hang after their result: `seen` is aborted at the result, which ends both deadlines. */
  readonly afterResult?: { readonly seen: AbortSignal; readonly graceMs: number } | undefined;
}

export interface ProcessResult {
  /** Why it could not be started. */
  readonly spawnError: string | null;
  readonly exitCode: number | null;
  /** The signal that ended it; `exitCode` is null then. */
  readonly signal: string | null;
  /** The first cause of its end. */
  readonly ended: "exited" | "spawn-failed" | StopCause;
  readonly durationMs: number;
  /** Processes that outlived the program and were killed. */
  readonly survivorsKilled: number;
}

const defaultGraceMs = 3000;

/**
 * Runs a program to its end. Kills every process that outlives it before returning, at either isolation level. Every
 * way of ending is a field of the result; throws only what `stdin`, `onStdout` or `onStderr` throw, after killing the tree.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const start = performance.now();
  const result = (facts: Partial<ProcessResult>): ProcessResult => ({
    spawnError: null,
    exitCode: null,
    signal: null,
    ended: "exited",
    survivorsKilled: 0,
    ...facts,
    durationMs: Math.round(performance.now() - start),
  });
  if (request.signal.aborted) return result({ ended: "cancelled" });
  const env = request.marker ? { ...request.env, RALPH_MARKER: request.marker } : request.env;
  const child = await startChild({ ...request, env });
  if (typeof child === "string") return result({ ended: "spawn-failed", spawnError: child });

  const ladder = stopLadder({
    child,
    stopSignal: request.stopSignal ?? "SIGINT",
    graceMs: request.graceMs ?? defaultGraceMs,
  });
  const deadlines = watchDeadlines({ ...request, onPassed: ladder.stop });
  const outlet = forwardOutput(child, { request, ladder, deadlines });
  const unlisten = listen(request, ladder, deadlines);
  const watch = child.namespace ? null : watchDescendants(child.pid);
  request.onStart?.();

  const exit = await Promise.race([child.exit, ladder.gaveUp]);
  ladder.clear();
  deadlines.clear();
  unlisten();
  const survivorsKilled = await cleanUp(child, { marker: request.marker, watch, forced: ladder.forced() });
  if (outlet.fault) throw outlet.fault.error;
  return result({
    ...toResult(exit, child.namespace !== null),
    ended: ladder.cause() ?? "exited",
    survivorsKilled,
  });
}

interface Supervision {
  readonly request: ProcessRequest;
  readonly ladder: StopLadder;
  readonly deadlines: Deadlines;
}

/** Opens the input and passes output to the listeners as it arrives. A listener that throws stops the program; its error is kept. */
function forwardOutput(child: RunningChild, { request, ladder, deadlines }: Supervision): OutputSink {
  const outlet: OutputSink = { fault: null };
  const guard = (call: () => void): void => {
    if (outlet.fault) return;
    try {
      call();
    } catch (error) {
      outlet.fault = { error };
      ladder.stop("cancelled");
    }
  };
  const deliver = (listener: ((chunk: Buffer) => void) | undefined) => (chunk: Buffer) => {
    deadlines.touch();
    guard(() => listener?.(chunk));
  };
  const { stdin } = request;
  const { input } = child;
  if (typeof stdin === "function" && input) guard(() => stdin(input));
  child.stdout.on("data", deliver(request.onStdout));
  child.stderr.on("data", deliver(request.onStderr));
  return outlet;
}

interface OutputSink {
  fault: { readonly error: unknown } | null;
}

function listen(
  { signal, forceSignal, hopeless, afterResult }: ProcessRequest,
  ladder: StopLadder,
  deadlines: Deadlines,
): () => void {
  const over = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const on = (source: AbortSignal | undefined, react: () => void): void => {
    if (source?.aborted) react();
    else source?.addEventListener("abort", react, { signal: over.signal, once: true });
  };
  on(signal, () => ladder.stop("cancelled"));
  on(hopeless, () => ladder.stop("hopeless"));
  on(forceSignal, () => ladder.force("cancelled"));
  on(afterResult?.seen, () => {
    deadlines.clear();
    grace = setTimeout(() => ladder.stop("lingered"), afterResult?.graceMs);
  });
  return () => {
    over.abort();
    clearTimeout(grace);
  };
}

interface CleanUp {
  readonly marker: string | null;
  readonly watch: DescendantWatch | null;
  readonly forced: boolean;
}

/** Kills the leftovers, then drains and closes the pipes: in this order, because leftovers may hold the pipes open. */
async function cleanUp(child: RunningChild, { marker, watch, forced }: CleanUp): Promise<number> {
  const { namespace } = child;
  // The end of a namespace kills everything in it. After a forced end, its last processes may still be dying.
  const allDead = namespace !== null && !forced;
  const recorded = (await watch?.stop()) ?? child.lastSeen;
  const killed = allDead
    ? 0
    : await killLeftovers({ marker, recorded, group: child.pid, groupIsDying: forced });
  await drainOutput([child.stdout, child.stderr, ...(namespace ? [namespace.count] : [])]);
  child.process.stdin?.destroy();
  return namespace ? namespace.left() + killed : killed;
}

/** Decodes the exit. A namespace's first process reports a death by signal as 128 + n, like a shell. */
function toResult(
  exit: ChildExit | undefined,
  namespaced: boolean,
): Pick<ProcessResult, "exitCode" | "signal"> {
  const code = exit?.code ?? null;
  if (namespaced && code !== null && code > 128) {
    const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
    if (name) return { exitCode: null, signal: name };
  }
  return { exitCode: code, signal: exit?.signal ?? null };
}
