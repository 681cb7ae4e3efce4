/** Lets the slots of a run choose their tasks one after the other, and tells those that found none when to look again. */
export interface WorkQueue {
  /** The tasks that slots work on. */
  readonly busy: ReadonlySet<string>;
  /** Runs `choose` while no other slot chooses. The task that it returns is busy until `end`. */
  choose<T extends object>(choose: () => Promise<T>): Promise<T>;
  /** Resolves when another slot has ended its work. Call it without a pause after a choice. */
  change(): Promise<void>;
  end(taskId: string): void;
}

export function openWorkQueue(): WorkQueue {
  const busy = new Set<string>();
  const waiting = new Set<() => void>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    busy,
    choose: (choose) => {
      const chosen = last.then(choose).then((choice) => {
        if ("task" in choice && hasId(choice.task)) busy.add(choice.task.id);
        return choice;
      });
      last = chosen.catch(() => undefined);
      return chosen;
    },
    change: () => new Promise((resolve) => waiting.add(resolve)),
    end: (taskId) => {
      busy.delete(taskId);
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}

function hasId(task: unknown): task is { readonly id: string } {
  return typeof task === "object" && task !== null && "id" in task && typeof task.id === "string";
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
