import type { Tx } from "../store/db.ts";
import { heartbeat, restoreClaim } from "../tasks/claim-store.ts";
import type { Iteration } from "./begin-iteration.ts";
import type { Loop } from "./loop.ts";

/** Far below the time after which another machine may call a silent owner dead. */
const beatMs = 15_000;

interface Heart {
  /** Aborted when the claim is no longer ours. */
  readonly lost: AbortSignal;
  stop(): void;
}

/** Renews the iteration's claim until stopped. A beat that cannot be written is tried again at the next. */
export function keepClaimAlive(loop: Loop, iteration: Iteration): Heart {
  const lost = new AbortController();
  const timer = setInterval(() => {
    loop.db
      .transaction((tx) => beat(tx, loop, iteration))
      .then((held) => {
        if (!held) lost.abort();
      })
      .catch(() => undefined);
  }, beatMs);
  timer.unref();
  return { lost: lost.signal, stop: () => clearInterval(timer) };
}

/** A claim that is gone while its task is still held under it was removed past ralph, and is no loss. */
async function beat(tx: Tx, { owner, runId, clock }: Loop, { claim }: Iteration): Promise<boolean> {
  const now = clock.now();
  return (await heartbeat(tx, claim, now)) || (await restoreClaim(tx, claim, { owner, runId }, now));
}
