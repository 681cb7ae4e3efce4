import type { RunningChild } from "../run/start-child.ts";

/** Why a program was made to stop. `lingered`: it had given its result and did not leave. */
export type StopCause = "timeout" | "idle" | "cancelled" | "lingered";

interface StopLadderOptions {
  readonly child: Pick<RunningChild, "signalGroup" | "kill">;
  readonly stopSignal: "SIGINT" | "SIGTERM";
  /** Between the first signal and SIGKILL. */
  readonly graceMs: number;
}

export interface StopLadder {
  /** The first call's cause stands; later ones do nothing. */
  stop(cause: StopCause): void;
  /** Straight to SIGKILL. */
  force(cause: StopCause): void;
  cause(): StopCause | null;
  forced(): boolean;
  /** Resolves when even SIGKILL was not answered, as by a process in uninterruptible sleep. */
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
    stop(why) {
      if (cause) return;
      cause = why;
      child.signalGroup(stopSignal);
      timer = setTimeout(kill, graceMs);
    },
    force(why) {
      cause ??= why;
      kill();
    },
    cause: () => cause,
    forced: () => forced,
    gaveUp,
    clear: () => clearTimeout(timer),
  };
}
