import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { isRunByNohup } from "../../config/environment.ts";

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
  leave(): void;
}

const namesToHear = (): readonly NodeJS.Signals[] =>
  ignoresHangup() ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"];
/** How to stop a run at once that was not asked to stop by Ctrl-C. */
const otherwise = safe`ralph stop --now`;
/** Leaves a loaded machine time to deliver the signal within the 2 s of LOOP-10. */
const forcedExitMs = 1200;

/**
 * Turns signals into stop requests. The first Ctrl-C (or SIGTERM, SIGHUP unless under `nohup`) ends the agent, records the
 * attempt and releases the task. A second one kills the agent, and this process if it still runs 1.2 s later (LOOP-10).
 */
export function listenForStop({ notify, leave }: StopHooks): StopSignals {
  const stop = new AbortController();
  const forceStop = new AbortController();
  // Each worker listens.
  setMaxListeners(0, stop.signal, forceStop.signal);
  const stopSignalNames = namesToHear();
  if (!stopSignalNames.includes("SIGHUP")) ignoreSignal("SIGHUP");
  let first: NodeJS.Signals | undefined;
  const die = (signal: NodeJS.Signals): void => {
    dispose();
    leave();
    process.kill(process.pid, signal);
  };
  const ask = (how: SafeText): void => {
    if (stop.signal.aborted) return;
    notify(safe`stopping: ending the agent and recording its work (${how} to stop immediately)`);
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
      ask(signal === "SIGINT" ? safe`press Ctrl-C again` : otherwise);
    }
  };
  const dispose = (): void => {
    for (const name of stopSignalNames) process.removeListener(name, listener);
  };
  const listen = (): void => {
    for (const name of stopSignalNames) process.on(name, listener);
  };
  listen();
  // By default Node opens its inspector at SIGUSR1: an agent could then execute code in this process, outside of its sandbox.
  ignoreSignal("SIGUSR1");
  return {
    stop: stop.signal,
    forceStop: forceStop.signal,
    requestStop: () => ask(otherwise),
    requestForceStop: () => requestForceStop(first ?? "SIGTERM"),
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

/**
 * Reports whether this process was started to survive the end of its terminal, as by `nohup`: Node resets an ignored SIGHUP
 * when it starts, so that only the parent, which ignores it too, and the shell's note of the command show it.
 */
function ignoresHangup(): boolean {
  if (process.stdin.isTTY || process.stdout.isTTY) return false;
  return isRunByNohup() || parentIgnoresHangup();
}

/** Linux alone shows it without starting a process; returns false elsewhere. */
function parentIgnoresHangup(): boolean {
  try {
    const [, mask = "0"] =
      /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${process.ppid}/status`, "utf8")) ?? [];
    // The lowest bit is signal 1, SIGHUP.
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}

function ignoreSignal(name: NodeJS.Signals): void {
  if (process.listenerCount(name) === 0) process.on(name, () => undefined);
}
