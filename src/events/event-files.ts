import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { makeFolders } from "../base/careful-files.ts";
import { redacted } from "../base/safe-text.ts";
import { writeFileSafely } from "../trust/safe-file.ts";
import type { RalphEvent } from "./event.ts";
import type { EventLog } from "./event-log.ts";
import type { OutletCursors } from "./outlet-cursors.ts";
import { redactedJson } from "./redact-json.ts";

interface EventFilesSetup {
  readonly log: Pick<EventLog, "subscribe">;
  /** Absolute. */
  readonly folder: string;
  readonly cursors: OutletCursors;
  /** Called once, for the first file that cannot be written. */
  readonly onFailure: (error: unknown) => void;
}

export interface EventFiles {
  /** Accepts no further events and waits for pending writes, at most `ms` milliseconds. */
  drain(ms: number): Promise<void>;
}

/** The name of the folder's cursor. */
export const filesOutlet = "events.dir";
const keptMs = 86_400_000;
const ourName = /^(\d{13,16})-[\w.]+-[\w.-]+\.json$/;

/**
 * Writes each logged event atomically to a file `<ms>-<type>-<jobId>.json`, and removes files older than 24 hours when it
 * starts. Works in the background: a slow or full disk loses files and does not delay the run. Git ignores the folder.
 */
export function startEventFiles({ log, folder, cursors, onFailure }: EventFilesSetup): EventFiles {
  const nameOf = createNames();
  let failed = false;
  let over = false;
  let work: Promise<void> = prepare(folder).catch(fail);
  function fail(error: unknown): void {
    if (!failed) onFailure(error);
    failed = true;
  }
  let newest = 0;
  const stop = log.subscribe((event) => {
    const { seq } = event;
    if (seq === undefined) return;
    newest = seq;
    const path = join(folder, nameOf(event));
    work = work
      .then(async () => {
        if (!over) await writeFileSafely(path, redacted`${redactedJson(event)}\n`, { root: folder });
        if (seq === newest) cursors.delivered(filesOutlet, seq);
      })
      .catch(fail);
  }, cursors.of(filesOutlet));
  return {
    drain: async (ms) => {
      stop();
      const timer = setTimeout(() => {
        over = true;
      }, ms);
      await work;
      clearTimeout(timer);
    },
  };
}

/** Creates unique file names: two events of the same type and millisecond get names one millisecond apart. */
function createNames(): (event: RalphEvent) => string {
  const last = new Map<string, number>();
  return ({ timestamp, type, jobId }) => {
    const rest = `${part(type)}-${part(jobId ?? "none")}`;
    const ms = Math.max(Date.parse(timestamp), (last.get(rest) ?? 0) + 1);
    last.set(rest, ms);
    return `${ms}-${rest}.json`;
  };
}

function part(name: string): string {
  return name.replace(/[^\w.-]/g, "_").slice(0, 80);
}

async function prepare(folder: string): Promise<void> {
  makeFolders(folder);
  await writeFileSafely(join(folder, ".gitignore"), "*\n", { root: folder });
  const oldest = Date.now() - keptMs;
  for (const name of await readdir(folder)) {
    const ms = Number(ourName.exec(name)?.[1] ?? Number.NaN);
    if (ms < oldest) await unlink(join(folder, name)).catch(() => undefined);
  }
}
