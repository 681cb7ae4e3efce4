import { record } from "../events/outbox-store.ts";
import type { Db } from "../store/db.ts";
import { commit, type Loop } from "./loop.ts";
import { readControl, setPaused } from "./run-store.ts";

/** A look is one row by its key: 0.1 ms. */
const pollMs = 500;

interface ControlHandlers {
  stop(): void;
  forceStop(): void;
}

/**
 * Listens for `ralph stop` from another terminal, which may sit on another machine: what is wanted stands in the
 * run's row. Returns the function that ends it. A look that fails is made again.
 */
export function watchControl(
  run: { readonly db: Db; readonly runId: string },
  hearer: ControlHandlers,
): () => void {
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    const wish = await readControl(run.db, run.runId).catch(() => null);
    looking = false;
    if (wish === "stop") hearer.stop();
    if (wish === "stop-now") hearer.forceStop();
  };
  const timer = setInterval(() => void look(), pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Between two iterations: waits here while `ralph pause` holds, and once `ralph stop` was typed until the run has heard
 * it, for then nothing new is to begin. Returns for how many milliseconds that was.
 */
export async function waitWhilePaused(loop: Loop): Promise<number> {
  const { db, runId, clock, stop } = loop;
  const wish = await readControl(db, runId);
  if (wish === null) return 0;
  const start = clock.monotonic();
  const isPaused = wish === "pause";
  if (isPaused) await publishPause(loop, "run.paused", clock.now().toISOString());
  while (!stop.aborted && (await readControl(db, runId)) !== null) await clock.sleep(pollMs, stop);
  if (isPaused && !stop.aborted) await publishPause(loop, "run.resumed", null);
  return clock.monotonic() - start;
}

/**
 * Sleeps until the wall clock shows `until`, milliseconds since the epoch; sooner when the run is to stop or to pause.
 * True: the time is over. The clock is read again and again: a computer that was suspended wakes to a later one, and
 * when it was set back the wait is no longer than it was to be.
 */
export async function sleepUntilControl(loop: Loop, until: number): Promise<boolean> {
  const end = loop.clock.monotonic() + until - loop.clock.now().getTime();
  while (!loop.stop.aborted && !(await isPauseRequested(loop))) {
    const left = Math.min(end - loop.clock.monotonic(), until - loop.clock.now().getTime());
    if (left <= 0) return true;
    await loop.clock.sleep(Math.min(left, pollMs), loop.stop);
  }
  return false;
}

async function isPauseRequested({ db, runId }: Loop): Promise<boolean> {
  return (await readControl(db, runId)) === "pause";
}

async function publishPause(
  loop: Loop,
  type: "run.paused" | "run.resumed",
  pausedAt: string | null,
): Promise<void> {
  await commit(loop, async (tx) => {
    await setPaused(tx, loop.runId, pausedAt);
    await record(tx, { type, runId: loop.runId }, loop.clock.now());
  });
}
