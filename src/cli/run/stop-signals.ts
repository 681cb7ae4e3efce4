import { setImmediate as nextTurn } from "node:timers/promises";
import { type SafeText, safe } from "../../base/safe-text.ts";

/** Stop requests, from signals and from `ralph stop`. */
export interface StopSignals {
  readonly stop: AbortSignal;
  readonly forceStop: AbortSignal;
  /** Stops like a first Ctrl-C. A second call does nothing. */
  requestStop(): void;
  /** Stops like a second Ctrl-C. */
  requestForceStop(): void;
  /**
   * Runs `work`, during which a signal ends this process at once: for work that occupies it for seconds, so that no listener
   * is called, and that a kill cannot harm. Earlier signals are handled first.
   */
  killable<T>(work: () => Promise<T>): Promise<T>;
  /** Kills this process with the signal that stopped the run, as shells expect. Does nothing without one. */
  reraise(): void;
  dispose(): void;
}

interface StopHooks {
  readonly notify: (text: SafeText) => void;
  /** Restores the terminal before this process kills itself. */
  leave(): void;
}

const stopSignalNames: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Leaves a loaded machine time to deliver the signal within the 2 s of LOOP-10. */
const forcedExitMs = 1200;

/**
 * Turns signals into stop requests. The first Ctrl-C (or SIGTERM, SIGHUP) ends the agent, records the attempt and
 * releases the task. A second one kills the agent, and this process if it still runs 1.2 s later (LOOP-10).
 */
export function listenForStop({ notify, leave }: StopHooks): StopSignals {
  const stop = new AbortController();
  const forceStop = new AbortController();
  let first: NodeJS.Signals | undefined;
  const die = (signal: NodeJS.Signals): void => {
    dispose();
    leave();
    process.kill(process.pid, signal);
  };
  const ask = (): void => {
    if (stop.signal.aborted) return;
    notify(safe`stopping: ending the agent and recording its work (press Ctrl-C again to stop immediately)`);
    stop.abort();
  };
  const requestForceStop = (signal: NodeJS.Signals): void => {
    if (forceStop.signal.aborted) return;
    stop.abort();
    forceStop.abort();
    setTimeout(() => die(signal), forcedExitMs).unref();
  };
  const listener = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) {
      requestForceStop(signal);
    } else {
      first = signal;
      ask();
    }
  };
  const dispose = (): void => {
    for (const name of stopSignalNames) process.removeListener(name, listener);
  };
  const listen = (): void => {
    for (const name of stopSignalNames) process.on(name, listener);
  };
  listen();
  ignoreInspectorSignal();
  return {
    stop: stop.signal,
    forceStop: forceStop.signal,
    requestStop: ask,
    requestForceStop: () => requestForceStop("SIGTERM"),
    killable: async (work) => {
      await nextTurn();
      // A second signal must find its listener.
      if (stop.signal.aborted) return work();
      dispose();
      try {
        return await work();
      } finally {
        listen();
      }
    },
    reraise: () => {
      if (first !== undefined) die(first);
    },
    dispose,
  };
}

/** By default Node opens its inspector at SIGUSR1: an agent could then execute code in this process, which is outside of its sandbox. */
function ignoreInspectorSignal(): void {
  const name = "SIGUSR1";
  if (process.listenerCount(name) === 0) process.on(name, () => undefined);
}
