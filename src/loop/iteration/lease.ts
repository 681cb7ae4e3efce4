import type { Tx } from "../../store/db.ts";
import { heartbeat, restoreClaim } from "../../tasks/claim-store.ts";
import type { Loop } from "../loop.ts";
import type { Iteration } from "./begin-iteration.ts";

/** Far below the time after which another machine may call a silent owner dead. */
const renewEveryMs = 15_000;

interface Lease {
  /** Aborted when the claim is no longer ours. */
  readonly leaseLost: AbortSignal;
  stop(): void;
}

/** Renews the iteration's claim until stopped. A beat that cannot be written is tried again at the next. */
export function holdLease(loop: Loop, iteration: Iteration): Lease {
  const lost = new AbortController();
  const timer = setInterval(() => {
    loop.db
      .transaction((tx) => renewLease(tx, loop, iteration))
      .then((held) => {
        if (!held) lost.abort();
      })
      .catch(() => undefined);
  }, renewEveryMs);
  timer.unref();
  return { leaseLost: lost.signal, stop: () => clearInterval(timer) };
}

/** A claim that is gone while its task is still held under it was removed past ralph, and is no loss. */
async function renewLease(tx: Tx, { owner, runId, clock }: Loop, { claim }: Iteration): Promise<boolean> {
  const now = clock.now();
  return (await heartbeat(tx, claim, now)) || (await restoreClaim(tx, claim, { owner, runId }, now));
}
