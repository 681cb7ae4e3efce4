import { record } from "../events/outbox-store.ts";
import type { Db } from "../store/db.ts";
import { type Loop, write } from "./loop.ts";
import { readWish, setPaused } from "./run-store.ts";

/** A look is one row by its key: 0.1 ms. */
const lookMs = 500;

interface WishHearer {
  stop(): void;
  stopNow(): void;
}

/**
 * Listens for `ralph stop` from another terminal, which may sit on another machine: what is wanted stands in the
 * run's row. Returns the function that ends it. A look that fails is made again.
 */
export function heedWishes(run: { readonly db: Db; readonly runId: string }, hearer: WishHearer): () => void {
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    const wish = await readWish(run.db, run.runId).catch(() => null);
    looking = false;
    if (wish === "stop") hearer.stop();
    if (wish === "stop-now") hearer.stopNow();
  };
  const timer = setInterval(() => void look(), lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Between two iterations: waits here while `ralph pause` holds, and once `ralph stop` was typed until the run has heard
 * it, for then nothing new is to begin. Returns for how many milliseconds that was.
 */
export async function waitWhilePaused(loop: Loop): Promise<number> {
  const { db, runId, clock, stop } = loop;
  const wish = await readWish(db, runId);
  if (wish === null) return 0;
  const start = clock.monotonic();
  const isPaused = wish === "pause";
  if (isPaused) await tell(loop, "run.paused", clock.now().toISOString());
  while (!stop.aborted && (await readWish(db, runId)) !== null) await clock.sleep(lookMs, stop);
  if (isPaused && !stop.aborted) await tell(loop, "run.resumed", null);
  return clock.monotonic() - start;
}

/**
 * Sleeps until the wall clock shows `until`, milliseconds since the epoch; sooner when the run is to stop or to pause.
 * True: the time is over. The clock is read again and again: a computer that was suspended wakes to a later one, and
 * when it was set back the wait is no longer than it was to be.
 */
export async function sleepUnlessAsked(loop: Loop, until: number): Promise<boolean> {
  const end = loop.clock.monotonic() + until - loop.clock.now().getTime();
  while (!loop.stop.aborted && !(await isPauseWanted(loop))) {
    const left = Math.min(end - loop.clock.monotonic(), until - loop.clock.now().getTime());
    if (left <= 0) return true;
    await loop.clock.sleep(Math.min(left, lookMs), loop.stop);
  }
  return false;
}

async function isPauseWanted({ db, runId }: Loop): Promise<boolean> {
  return (await readWish(db, runId)) === "pause";
}

async function tell(loop: Loop, type: "run.paused" | "run.resumed", pausedAt: string | null): Promise<void> {
  await write(loop, async (tx) => {
    await setPaused(tx, loop.runId, pausedAt);
    await record(tx, { type, runId: loop.runId }, loop.clock.now());
  });
}
