/** Work that is done again and again. */
export interface Repeated {
  /** Ends it, and waits for what is being done. */
  stop(): Promise<void>;
}

/** Does `work` every `ms` milliseconds, never twice at once. Failures are left to the next time. */
export function repeat(ms: number, work: () => Promise<void>): Repeated {
  let current: Promise<void> | null = null;
  const timer = setInterval(() => {
    current ??= work()
      .catch(() => undefined)
      .finally(() => {
        current = null;
      });
  }, ms);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await current;
    },
  };
}
