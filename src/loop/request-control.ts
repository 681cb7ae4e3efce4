import type { Clock } from "../base/clock.ts";
import { RalphError } from "../base/errors.ts";
import { redacted } from "../base/safe-text.ts";
import type { EventLog } from "../events/event-log.ts";
import { record } from "../events/event-store.ts";
import type { Db, Reader } from "../store/port/db.ts";
import { liveRuns, runIsAlive } from "./rows/live-runs.ts";
import { commit } from "./rows/loop.ts";
import { letWait, type Message, messageById } from "./rows/message-store.ts";
import { repeat } from "./rows/repeat.ts";
import { type ControlRequest, type RunRow, readControl, runById, setControl } from "./rows/run-store.ts";

interface ControlPlace {
  readonly db: Db;
  readonly log: EventLog;
  readonly clock: Clock;
}

/**
 * Stores a user's request for the active run (`activeRun`), which polls for requests twice a second. Returns the run as
 * it was when the request was stored. `stop-now` also returns a run that cannot be asked, as it holds the store's lock: the
 * caller can only kill it.
 *
 * @throws RalphError `RALPH_RUN_NONE` when no run is active, `RALPH_RUN_STOPPING` when a stopping run is asked to pause
 * or resume.
 */
export async function requestControl(place: ControlPlace, ask: ControlRequest | "resume"): Promise<RunRow> {
  try {
    return await storeRequest(place, ask);
  } catch (error) {
    const isLocked = error instanceof RalphError && error.code === "RALPH_STORE_LOCKED";
    if (isLocked && ask === "stop-now") return await requireActiveRun(place.db);
    throw error;
  }
}

async function requireActiveRun(q: Reader): Promise<RunRow> {
  const run = await activeRun(q);
  if (run) return run;
  throw new RalphError("RALPH_RUN_NONE", "no run is active in this project", {
    hint: "run `ralph run` to start one, or `ralph status` to see how the last one ended",
  });
}

async function storeRequest(place: ControlPlace, ask: ControlRequest | "resume"): Promise<RunRow> {
  return commit(place, async (tx) => {
    const run = await requireActiveRun(tx);
    if (!(await setControl(tx, run.id, ask === "resume" ? null : ask)) && ask !== "stop") {
      throw new RalphError("RALPH_RUN_STOPPING", `run ${run.id} is already stopping`, {
        hint: "run `ralph run` when it has stopped",
      });
    }
    const asked = { type: "run.asked", runId: run.id, data: { control: ask } } as const;
    await record(tx, asked, place.clock.now());
    return run;
  });
}

/** Returns the active run of this working copy, else the oldest of another; undefined when there is none. */
export async function activeRun(q: Reader): Promise<RunRow | undefined> {
  return (await liveRuns(q))[0];
}

/**
 * Waits until the active run has answered a message for the working agent, at most `ms`. Without an answer the message
 * waits for the next iteration. Returns it as it is then; undefined when it was removed.
 */
export async function waitForAnswer(
  place: ControlPlace,
  id: string,
  ms: number,
): Promise<Message | undefined> {
  const { db, clock } = place;
  const until = clock.monotonic() + ms;
  const seconds = Math.round(ms / 1000);
  for (;;) {
    const message = await messageById(db, id);
    const isOpen = message?.now === "asked" || message?.now === "passing";
    if (!isOpen) return message;
    if (clock.monotonic() >= until) {
      const reason = redacted`the run did not answer within ${seconds} seconds`;
      return commit(place, async (tx) => {
        await letWait(tx, id, reason, clock.now());
        return messageById(tx, id);
      });
    }
    await clock.sleep(100);
  }
}

/** Waits until the run has ended or its process is gone, and returns its row; undefined when neither happens within `ms`. */
export async function waitForEnd(
  { db, clock }: Pick<ControlPlace, "db" | "clock">,
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
  return run && (run.endedAt !== null || !runIsAlive(run)) ? run : undefined;
}

/** Milliseconds. One poll reads one row by its key: 0.1 ms. */
const pollMs = 500;

interface ControlHandlers {
  stop(): void;
  forceStop(): void;
}

/**
 * Polls the run's row for `ralph stop` from another terminal, which may be on another machine. A poll that fails is
 * retried. Returns the function that ends polling.
 */
export function watchControl(
  run: { readonly db: Db; readonly runId: string },
  handlers: ControlHandlers,
): () => void {
  const polling = repeat(pollMs, async () => {
    const request = await readControl(run.db, run.runId);
    if (request === "stop") handlers.stop();
    if (request === "stop-now") handlers.forceStop();
  });
  return () => void polling.stop();
}
