import { readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { lookAt } from "../base/careful-files.ts";
import { isObject, parseJson } from "../base/json.ts";
import { writeFileSafely } from "../trust/safe-file.ts";

/** How far each outlet of a run is. The file exists while the run does, so the run after a killed one delivers the rest. */
export interface OutletCursors {
  /** Returns the number of the last event that the outlet delivered, in this run or a killed one. */
  of(outlet: string): number;
  /** Keeps that `outlet` delivered all events up to number `seq`. */
  delivered(outlet: string, seq: number): void;
  /** Ends the run of these outlets: the next one begins with its own events. */
  close(): Promise<void>;
}

/** Time (ms) in which events that follow each other are saved together: after a kill, those are delivered again. */
const saveDelayMs = 100;

/** Reads the cursors that a killed run left; outlets without one begin after event `last`. A file that cannot be written is left out. */
export async function openCursors(
  file: string,
  outlets: readonly string[],
  last: number,
): Promise<OutletCursors> {
  const left = read(file);
  // A restored store may have fewer events.
  const cursors = new Map(outlets.map((name) => [name, Math.min(left.get(name) ?? last, last)]));
  const place = { root: dirname(file), durable: false, tidy: false };
  // An error loses little: only a run after a kill reads the file.
  const save = (): Promise<void> =>
    writeFileSafely(file, JSON.stringify(Object.fromEntries(cursors)), place).catch(() => undefined);
  await save();
  let scheduled: NodeJS.Timeout | undefined;
  let saved: Promise<void> | undefined;
  return {
    of: (outlet) => cursors.get(outlet) ?? last,
    delivered: (outlet, seq) => {
      cursors.set(outlet, seq);
      scheduled ??= setTimeout(() => {
        scheduled = undefined;
        saved = save();
      }, saveDelayMs).unref();
    },
    close: async () => {
      clearTimeout(scheduled);
      await saved;
      rmSync(file, { force: true });
    },
  };
}

function read(file: string): ReadonlyMap<string, number> {
  try {
    const value = lookAt(file)?.isFile() ? parseJson(readFileSync(file, "utf8")) : undefined;
    const entries = isObject(value) ? Object.entries(value) : [];
    return new Map(entries.flatMap(([name, seq]) => (typeof seq === "number" ? [[name, seq]] : [])));
  } catch {
    return new Map();
  }
}
