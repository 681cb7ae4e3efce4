import type { RunningChild } from "./start-child.ts";

/**
 * The reason for stopping a program. `lingered`: it gave its result and did not exit; `hopeless`: its output showed that it
 * cannot succeed.
 */
export type StopCause = "timeout" | "idle" | "cancelled" | "hopeless" | "lingered";

interface StopLadderOptions {
  readonly child: Pick<RunningChild, "signalGroup" | "kill">;
  readonly stopSignal: "SIGINT" | "SIGTERM";
  /** Time between the first signal and SIGKILL. */
  readonly graceMs: number;
}

export interface StopLadder {
  /** Sends the stop signal, later SIGKILL. The first call sets the cause; later calls have no effect. */
  stop(cause: StopCause): void;
  /** Sends SIGKILL at once. */
  force(cause: StopCause): void;
  cause(): StopCause | null;
  forced(): boolean;
  /** Resolves if the process survives even SIGKILL, as one in uninterruptible sleep does. */
  readonly gaveUp: Promise<undefined>;
  clear(): void;
}

const maxStopMs = 5000;

export function stopLadder({ child, stopSignal, graceMs }: StopLadderOptions): StopLadder {
  let cause: StopCause | null = null;
  let forced = false;
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (nothing: undefined) => void = () => undefined;
  const gaveUp = new Promise<undefined>((resolve) => {
    giveUp = resolve;
  });

  const kill = (): void => {
    if (forced) return;
    forced = true;
    clearTimeout(timer);
    child.kill();
    timer = setTimeout(() => giveUp(undefined), maxStopMs);
  };
  return {
    stop(reason) {
      if (cause) return;
      cause = reason;
      child.signalGroup(stopSignal);
      timer = setTimeout(kill, graceMs);
    },
    force(reason) {
      cause ??= reason;
      kill();
    },
    cause: () => cause,
    forced: () => forced,
    gaveUp,
    clear: () => clearTimeout(timer),
  };
}
