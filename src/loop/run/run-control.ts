import { record } from "../../events/event-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { readControl, setPaused } from "../rows/run-store.ts";

/** One poll reads one row by its key: 0.1 ms. */
const pollMs = 500;

type Controlled = Pick<Loop, "clock" | "db" | "log" | "runId" | "stop">;

/**
 * Waits between two iterations while the run is paused. After `ralph stop` it waits until the stop takes effect, so that
 * no iteration begins. Returns the milliseconds that it waited.
 */
export async function waitWhilePaused(loop: Controlled): Promise<number> {
  const { db, runId, clock, stop } = loop;
  const request = await readControl(db, runId);
  if (request === null) return 0;
  const start = clock.monotonic();
  const isPaused = request === "pause";
  if (isPaused) await publishPause(loop, "run.paused", clock.now().toISOString());
  while (!stop.aborted && (await readControl(db, runId)) !== null) await clock.sleep(pollMs, stop);
  if (isPaused && !stop.aborted) await publishPause(loop, "run.resumed", null);
  return clock.monotonic() - start;
}

/**
 * Sleeps until the wall clock reaches `until` (milliseconds since the epoch), or until the run is asked to stop or pause.
 * Returns true when the time is reached. The clock is read repeatedly: it jumps forward after a suspend, and a clock that
 * is set back does not prolong the wait.
 */
export async function sleepUntilControl(loop: Controlled, until: number): Promise<boolean> {
  const end = loop.clock.monotonic() + until - loop.clock.now().getTime();
  while (!loop.stop.aborted && !(await isPauseRequested(loop))) {
    const left = Math.min(end - loop.clock.monotonic(), until - loop.clock.now().getTime());
    if (left <= 0) return true;
    await loop.clock.sleep(Math.min(left, pollMs), loop.stop);
  }
  return false;
}

async function isPauseRequested({ db, runId }: Controlled): Promise<boolean> {
  return (await readControl(db, runId)) === "pause";
}

async function publishPause(
  loop: Controlled,
  type: "run.paused" | "run.resumed",
  pausedAt: string | null,
): Promise<void> {
  await commit(loop, async (tx) => {
    await setPaused(tx, loop.runId, pausedAt);
    await record(tx, { type, runId: loop.runId }, loop.clock.now());
  });
}
