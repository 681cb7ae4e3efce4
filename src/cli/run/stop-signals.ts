/** A wish to stop, as signals and `ralph stop` tell it. */
export interface StopSignals {
  readonly stop: AbortSignal;
  readonly forceStop: AbortSignal;
  /** What a first Ctrl-C does, asked for in another way; nothing the second time. */
  requestStop(): void;
  /** What a second Ctrl-C does. */
  requestForceStop(): void;
  /** After a clean end that a signal asked for: dies of that signal, as the shell that sent it expects. */
  reraise(): void;
  dispose(): void;
}

interface StopHooks {
  notify(text: string): void;
  /** Before this process dies by its own hand: gives the terminal back. */
  leave(): void;
}

const stopSignalNames: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Leaves a loaded machine time to deliver the signal within the 2 s of LOOP-10. */
const lastMs = 1200;

/**
 * The first Ctrl-C (or SIGTERM, SIGHUP) asks the run to stop: it ends the agent, records, releases. A second one
 * kills the agent, and this process after 1.2 s if it has not ended by then (LOOP-10).
 */
export function listenForStop({ notify: say, leave }: StopHooks): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let first: NodeJS.Signals | undefined;
  const die = (signal: NodeJS.Signals): void => {
    dispose();
    leave();
    process.kill(process.pid, signal);
  };
  const ask = (): void => {
    if (stop.signal.aborted) return;
    say("stopping: the agent is being ended and what happened recorded (once more to stop at once)");
    stop.abort();
  };
  const insist = (signal: NodeJS.Signals): void => {
    if (hurry.signal.aborted) return;
    stop.abort();
    hurry.abort();
    setTimeout(() => die(signal), lastMs).unref();
  };
  const listener = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) {
      insist(signal);
    } else {
      first = signal;
      ask();
    }
  };
  const dispose = (): void => {
    for (const name of stopSignalNames) process.removeListener(name, listener);
  };
  for (const name of stopSignalNames) process.on(name, listener);
  return {
    stop: stop.signal,
    forceStop: hurry.signal,
    requestStop: ask,
    requestForceStop: () => insist("SIGTERM"),
    reraise: () => {
      if (first !== undefined) die(first);
    },
    dispose,
  };
}
