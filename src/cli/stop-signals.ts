/** A wish to stop, as signals tell it. */
export interface StopSignals {
  readonly stop: AbortSignal;
  readonly hurry: AbortSignal;
  /** After a clean end that a signal asked for: dies of that signal, as the shell that sent it expects. */
  reraise(): void;
  dispose(): void;
}

const asking: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * The first Ctrl-C (or SIGTERM, SIGHUP) asks the run to stop: it ends the agent, records, releases. A second one
 * kills the agent, and this process within 1.5 s if that is not the end of it (LOOP-10).
 */
export function listenForStop(say: (text: string) => void): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let first: NodeJS.Signals | undefined;
  const die = (signal: NodeJS.Signals): void => {
    dispose();
    process.kill(process.pid, signal);
  };
  const listener = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = signal;
      say("stopping: the agent is being ended and what happened recorded (once more to stop at once)");
      stop.abort();
      return;
    }
    hurry.abort();
    setTimeout(() => die(signal), 1500).unref();
  };
  const dispose = (): void => {
    for (const name of asking) process.removeListener(name, listener);
  };
  for (const name of asking) process.on(name, listener);
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    reraise: () => {
      if (first !== undefined) die(first);
    },
    dispose,
  };
}
