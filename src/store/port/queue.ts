/** Runs work one by one, in the order of the calls; a failure does not stop later work. */
export interface Queue {
  <T>(work: () => Promise<T>): Promise<T>;
  /** As a call of the queue, but rejects with `late()` instead of starting `work` when its turn does not come within `ms`. */
  within<T>(limit: { readonly ms: number; readonly late: () => Error }, work: () => Promise<T>): Promise<T>;
}

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  const after = <T>(turn: Promise<unknown>, work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    const ended = result.catch(() => undefined);
    // An early rejection leaves the work before it running.
    last = turn === last ? ended : Promise.all([last, ended]);
    return result;
  };
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => after(last, work);
  return Object.assign(enqueue, {
    within: <T>({ ms, late }: { ms: number; late: () => Error }, work: () => Promise<T>): Promise<T> => {
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(late()), ms);
      });
      const turn = Promise.race([last, tooLate]).finally(() => clearTimeout(timer));
      return after(turn, work);
    },
  });
}
