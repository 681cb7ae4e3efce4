import type { Tx } from "../../store/port/db.ts";
import { heartbeat, leaseMs, restoreClaim } from "../../tasks/graph/claim-store.ts";
import type { Iteration } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";

/** Milliseconds; far below the time after which another machine may take a silent owner for dead. */
const renewEveryMs = 15_000;

/** Why a claim is lost that nobody took. */
export const leaseEnded = "the server that holds its claim did not answer for a lease";

interface Lease {
  /** Aborted when the claim is no longer this run's. */
  readonly lost: AbortSignal;
  stop(): void;
}

type Holder = Pick<Loop, "clock" | "db" | "owner" | "runId">;

/**
 * Renews the iteration's claim until stopped. A renewal that cannot be written is retried at the next interval; where other machines
 * share the store, the claim is lost when none succeeds for a lease.
 */
export function holdLease(loop: Holder, { claim }: Pick<Iteration, "claim">): Lease {
  const { owner, runId, clock } = loop;
  // A row that was removed other than by ralph, while its task is in progress under its token, is made again.
  const extend = async (tx: Tx): Promise<boolean> =>
    (await heartbeat(tx, claim, clock.now())) || restoreClaim(tx, claim, { owner, runId }, clock.now());
  const gone = new AbortController();
  let [isBusy, renewedMs] = [false, loop.clock.monotonic()];
  const renew = async (): Promise<void> => {
    const startMs = loop.clock.monotonic();
    const isShared = loop.db.dialect.place !== "";
    if (isShared && startMs - renewedMs >= leaseMs) gone.abort(leaseEnded);
    if (isBusy) return;
    isBusy = true;
    try {
      if (await loop.db.transaction(extend, { alone: false })) renewedMs = startMs;
      else gone.abort();
    } catch {
      // The next renewal tries again.
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void renew(), renewEveryMs);
  timer.unref();
  return { lost: gone.signal, stop: () => clearInterval(timer) };
}
