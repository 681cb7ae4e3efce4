import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { lookAt } from "../base/careful-files.ts";
import { isObject, parseJson } from "../base/json.ts";

/** How far each outlet of a run is. The file exists while the run does, so the run after a killed one delivers the rest. */
export interface OutletCursors {
  /** Returns the number of the last event that the outlet delivered, in this run or a killed one. */
  of(outlet: string): number;
  /** Keeps that `outlet` delivered all events up to number `seq`. */
  delivered(outlet: string, seq: number): void;
  /** Ends the run of these outlets: the next one begins with its own events. */
  close(): void;
}

/** Reads the cursors that a killed run left; outlets without one begin after event `last`. A file that cannot be written is left out. */
export function openCursors(file: string, outlets: readonly string[], last: number): OutletCursors {
  const left = read(file);
  // A restored store may have fewer events.
  const cursors = new Map(outlets.map((name) => [name, Math.min(left.get(name) ?? last, last)]));
  const save = (): void => {
    try {
      const unfinished = `${file}.unfinished`;
      rmSync(unfinished, { force: true });
      writeFileSync(unfinished, JSON.stringify(Object.fromEntries(cursors)), { flag: "wx", mode: 0o600 });
      renameSync(unfinished, file);
    } catch {
      // Only a run after a kill reads it.
    }
  };
  save();
  return {
    of: (outlet) => cursors.get(outlet) ?? last,
    delivered: (outlet, seq) => {
      cursors.set(outlet, seq);
      save();
    },
    close: () => rmSync(file, { force: true }),
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
