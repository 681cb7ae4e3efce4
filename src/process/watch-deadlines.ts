export interface DeadlineOptions {
  /** Milliseconds since the start; null: no limit. */
  readonly timeoutMs: number | null;
  /** Milliseconds since the last output; null: no limit. */
  readonly idleTimeoutMs: number | null;
  /** While it returns true, the idle deadline restarts instead of passing. */
  readonly silenceExpected?: (() => boolean) | undefined;
  readonly onPassed: (which: "timeout" | "idle") => void;
}

export interface Deadlines {
  /** Records that there was output. */
  touch(): void;
  clear(): void;
}

/** The maximum delay of a timer; the deadlines are checked again after it. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls `onPassed` once, when the first of the two deadlines has passed by the monotonic clock. */
export function watchDeadlines(options: DeadlineOptions): Deadlines {
  const { timeoutMs, idleTimeoutMs, silenceExpected, onPassed } = options;
  const start = performance.now();
  let lastOutput = start;
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    const now = performance.now();
    const total = timeoutMs === null ? Number.POSITIVE_INFINITY : start + timeoutMs - now;
    const idleLeft = () =>
      idleTimeoutMs === null ? Number.POSITIVE_INFINITY : lastOutput + idleTimeoutMs - now;
    if (idleLeft() <= 0 && silenceExpected?.()) lastOutput = now;
    const idle = idleLeft();
    const left = Math.min(total, idle);
    if (left <= 0) onPassed(total <= idle ? "timeout" : "idle");
    else if (left !== Number.POSITIVE_INFINITY)
      timer = setTimeout(check, Math.min(Math.ceil(left), maxTimerMs));
  };
  check();
  return {
    touch: () => {
      lastOutput = performance.now();
    },
    clear: () => clearTimeout(timer),
  };
}
