import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { carefulRead } from "../base/careful-files.ts";
import { systemCode } from "../base/errors.ts";
import { typePattern } from "../base/shared-settings.ts";
import type { RalphEvent } from "./event.ts";
import { notAFile } from "./log-file.ts";
import { createDuplicateFilter, parseLine } from "./log-line.ts";

/** Reads a log that other processes append to. */
export interface EventReader {
  /**
   * Returns the events since the last call, at first all of the log: the newest `last`, oldest first. Skips torn and duplicate
   * lines. A log that was replaced is read from its beginning.
   *
   * @throws RalphError RALPH_STORE_PATH when the log is not a regular file
   */
  next(last?: number): readonly RalphEvent[];
}

const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/** Opens a reader of the events of these types or patterns (`story_*`); none: of all. The log need not exist yet. */
export function openEventReader(file: string, types: readonly string[]): EventReader {
  const patterns = types.map(typePattern);
  const isWanted = ({ type }: RalphEvent): boolean =>
    patterns.length === 0 || patterns.some((pattern) => pattern.test(type));
  const isDuplicate = createDuplicateFilter();
  let at = { inode: 0, offset: 0 };
  return {
    next: (last = Number.POSITIVE_INFINITY) => {
      let events: RalphEvent[] = [];
      const add = (line: string): void => {
        const event = parseLine(line);
        if (!event || isDuplicate(event) || !isWanted(event)) return;
        events.push(event);
        if (events.length > 2 * last + 1000) events = newest(events, last);
      };
      const handle = openLog(file);
      if (handle === undefined) return [];
      try {
        const { ino, size } = fstatSync(handle);
        const isSame = ino === at.inode && size >= at.offset;
        at = { inode: ino, offset: readLines(handle, isSame ? at.offset : 0, add) };
      } finally {
        closeSync(handle);
      }
      return newest(events, last);
    },
  };
}

function newest(events: readonly RalphEvent[], last: number): RalphEvent[] {
  return last === 0 ? [] : events.slice(-Math.min(last, events.length));
}

function openLog(file: string): number | undefined {
  try {
    const handle = openSync(file, carefulRead);
    if (fstatSync(handle).isFile()) return handle;
    closeSync(handle);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (systemCode(error) !== "ELOOP") throw error;
  }
  throw notAFile(file);
}

/** Reads the complete lines from `offset` on, and returns the offset after the last of them. */
function readLines(handle: number, offset: number, onLine: (line: string) => void): number {
  let rest = Buffer.alloc(0);
  let position = offset;
  for (;;) {
    const chunk = Buffer.alloc(chunkBytes);
    const length = readSync(handle, chunk, 0, chunkBytes, position);
    if (length === 0) return position - rest.length;
    position += length;
    let bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline)) {
      onLine(bytes.toString("utf8", 0, end));
      bytes = bytes.subarray(end + 1);
    }
    rest = bytes;
  }
}
