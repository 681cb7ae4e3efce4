import { closeSync } from "node:fs";
import type { Redacted } from "../../base/safe-text.ts";
import type { Reader } from "../../store/db.ts";
import type { RalphEvent } from "../event.ts";
import { hasPending, readPending } from "../outbox-store.ts";
import { redactEvent } from "../redact-json.ts";
import { openLogFile, readEventsAfter } from "./log-file.ts";

/**
 * Finds a run's events that another process moved to the log: `ralph stop` or `ralph status` may come between the run's
 * commit and its own flush. Without it the run's screen, `--json` and hooks would lack them.
 */
export interface RunFollower {
  /** Returns true if events were recorded since the last `take`, still pending or moved. */
  hasNew(q: Reader): Promise<boolean>;
  /** Returns the run's events since the last call that other processes moved, then counts `moved`, which this one moved, as taken. */
  take(moved: readonly Redacted<RalphEvent>[]): readonly Redacted<RalphEvent>[];
}

/** Follows a run from now on; `file` is the event log. */
export async function followRun(q: Reader, file: string, runId: string): Promise<RunFollower> {
  const [first] = await readPending(q);
  let taken = first === undefined ? await q.dialect.lastNumber("outbox") : first.seq - 1;
  return {
    hasNew: async (reader) =>
      (await hasPending(reader)) || (await reader.dialect.lastNumber("outbox")) > taken,
    take: (moved) => {
      const first = moved[0]?.seq ?? Number.POSITIVE_INFINITY;
      const elsewhere = first > taken + 1 ? readBetween(file, taken, first) : [];
      taken = moved.at(-1)?.seq ?? elsewhere.at(-1)?.seq ?? taken;
      return elsewhere.filter(({ jobId }) => jobId === runId);
    },
  };
}

/** Reads the logged events numbered above `after` and below `before`, without their rows. A person or agent may have changed the file. */
function readBetween(file: string, after: number, before: number): readonly Redacted<RalphEvent>[] {
  const descriptor = openLogFile(file);
  try {
    return readEventsAfter(descriptor, after)
      .filter(({ seq = 0 }) => seq > after && seq < before)
      .map(redactEvent);
  } finally {
    closeSync(descriptor);
  }
}
