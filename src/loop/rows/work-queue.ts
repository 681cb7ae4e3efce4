/** Lets the slots of a run choose their tasks one after the other, and tells those that found none when to look again. */
export interface WorkQueue {
  /** The tasks that slots work on. Who chooses one adds it. */
  readonly busy: Set<string>;
  /** Runs `choose` while no other slot chooses. */
  choose<T>(choose: () => Promise<T>): Promise<T>;
  /** Resolves when another slot has ended its work. Call it without a pause after a choice. */
  change(): Promise<void>;
  end(taskId: string): void;
}

export function openWorkQueue(): WorkQueue {
  const busy = new Set<string>();
  const waiting = new Set<() => void>();
  return {
    busy,
    choose: oneAtATime(),
    change: () => new Promise((resolve) => waiting.add(resolve)),
    end: (taskId) => {
      busy.delete(taskId);
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}

/** Runs one piece of work after the other. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
