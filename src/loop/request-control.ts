import { killOwner, ownerIsAlive } from "../agents/supervision.ts";
import type { Clock } from "../base/clock.ts";
import { RalphError } from "../base/errors.ts";
import type { EventLog } from "../events/event-log.ts";
import { record } from "../events/outbox-store.ts";
import type { Db, Reader } from "../store/db.ts";
import { commit } from "./loop.ts";
import { type ControlRequest, openRuns, type RunRow, runById, setControl } from "./run-store.ts";

interface Place {
  readonly db: Db;
  readonly log: EventLog;
  readonly clock: Clock;
}

/**
 * Tells the run at work on this project what a person wants of it; it looks twice a second. Returns the run as it was
 * when it was told.
 *
 * @throws RalphError `RALPH_RUN_NONE` when no run is at work, `RALPH_RUN_STOPPING` when one that is to stop is told
 * to pause or go on.
 */
export async function requestControl(place: Place, ask: ControlRequest | "resume"): Promise<RunRow> {
  return commit(place, async (tx) => {
    const run = (await openRuns(tx)).find(({ owner }) => ownerIsAlive(owner));
    if (!run) {
      throw new RalphError("RALPH_RUN_NONE", "no run is at work on this project", {
        hint: "ralph run starts one; ralph status tells how the last one ended",
      });
    }
    if (!(await setControl(tx, run.id, ask === "resume" ? null : ask)) && ask !== "stop") {
      throw new RalphError("RALPH_RUN_STOPPING", `run ${run.id} is stopping already`, {
        hint: "ralph run, when it has stopped",
      });
    }
    const asked = { type: "run.asked", runId: run.id, data: { wish: ask } } as const;
    await record(tx, asked, place.clock.now());
    return run;
  });
}

/** The run as it is once it has ended, or died; undefined when it did neither within `ms`. */
export async function waitForEnd(
  { db, clock }: Pick<Place, "db" | "clock">,
  id: string,
  ms: number,
): Promise<RunRow | undefined> {
  const until = clock.monotonic() + ms;
  for (;;) {
    const run = await ended(db, id);
    if (run || clock.monotonic() >= until) return run;
    await clock.sleep(50);
  }
}

async function ended(db: Reader, id: string): Promise<RunRow | undefined> {
  const run = await runById(db, id);
  return run && (run.endedAt !== null || !ownerIsAlive(run.owner)) ? run : undefined;
}

/** For a run that heeds nothing any more: kills its process. False when it cannot be reached from here. */
export function killRun({ owner }: RunRow): boolean {
  return killOwner(owner);
}
