import type { Tx } from "../../store/port/db.ts";
import { heartbeat, restoreClaim } from "../../tasks/graph/claim-store.ts";
import type { Iteration } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";

/** Milliseconds; far below the time after which another machine may take a silent owner for dead. */
const renewEveryMs = 15_000;

interface Lease {
  /** Aborted when the claim is no longer this run's. */
  readonly lost: AbortSignal;
  stop(): void;
}

type Holder = Pick<Loop, "clock" | "db" | "owner" | "runId">;

/** Renews the iteration's claim until stopped. A renewal that cannot be written is retried at the next interval. */
export function holdLease(loop: Holder, iteration: Pick<Iteration, "claim">): Lease {
  const gone = new AbortController();
  const timer = setInterval(() => {
    loop.db
      .transaction((tx) => renewLease(tx, loop, iteration), { alone: false })
      .then((held) => {
        if (!held) gone.abort();
      })
      .catch(() => undefined);
  }, renewEveryMs);
  timer.unref();
  return { lost: gone.signal, stop: () => clearInterval(timer) };
}

/** Restores a claim row that was removed other than by ralph while its task is still in progress under its token. */
async function renewLease(
  tx: Tx,
  { owner, runId, clock }: Holder,
  { claim }: Pick<Iteration, "claim">,
): Promise<boolean> {
  const now = clock.now();
  return (await heartbeat(tx, claim, now)) || (await restoreClaim(tx, claim, { owner, runId }, now));
}
