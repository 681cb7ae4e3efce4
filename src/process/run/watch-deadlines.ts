export interface DeadlineOptions {
  /** From the start, in milliseconds; null: none. */
  readonly timeoutMs: number | null;
  /** Since the last byte of output, in milliseconds; null: none. */
  readonly idleTimeoutMs: number | null;
  /** While it returns true, the idle deadline does not pass: it starts again when it would. */
  readonly silenceExpected?: (() => boolean) | undefined;
  readonly onPassed: (which: "timeout" | "idle") => void;
}

export interface Deadlines {
  /** There was output. */
  touch(): void;
  clear(): void;
}

/** The longest that a timer can wait; it looks again then. */
const longestTimer = 2 ** 31 - 1;

/** Calls `onPassed` once, when the first of the two deadlines has passed by the monotonic clock. */
export function watchDeadlines(options: DeadlineOptions): Deadlines {
  const { timeoutMs, idleTimeoutMs, silenceExpected, onPassed } = options;
  const start = performance.now();
  let lastOutput = start;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = performance.now();
    const total = timeoutMs === null ? Number.POSITIVE_INFINITY : start + timeoutMs - now;
    const idleLeft = () =>
      idleTimeoutMs === null ? Number.POSITIVE_INFINITY : lastOutput + idleTimeoutMs - now;
    if (idleLeft() <= 0 && silenceExpected?.()) lastOutput = now;
    const idle = idleLeft();
    const left = Math.min(total, idle);
    if (left <= 0) onPassed(total <= idle ? "timeout" : "idle");
    else if (left !== Number.POSITIVE_INFINITY)
      timer = setTimeout(look, Math.min(Math.ceil(left), longestTimer));
  };
  look();
  return {
    touch: () => {
      lastOutput = performance.now();
    },
    clear: () => clearTimeout(timer),
  };
}
