import { type FileHandle, open } from "node:fs/promises";
import { carefulRead } from "../../base/careful-files.ts";
import { systemCode } from "../../base/errors.ts";
import type { RalphEvent } from "../event.ts";
import { readLastEvents, streamLines } from "./log-file.ts";
import { createDuplicateFilter, parseLine } from "./log-line.ts";

/** Reads the log's events, oldest first, or only the `last` ones. Skips torn and duplicate lines. Returns none without a file. */
export async function readLog(file: string, options: { readonly last?: number } = {}): Promise<RalphEvent[]> {
  const handle = await openToRead(file);
  if (handle === undefined) return [];
  const isDuplicate = createDuplicateFilter();
  const events: RalphEvent[] = [];
  try {
    if (options.last !== undefined) {
      return readLastEvents(handle.fd, options.last).filter((event) => !isDuplicate(event));
    }
    for await (const line of streamLines(handle)) {
      const event = parseLine(line);
      if (event && !isDuplicate(event)) events.push(event);
    }
    return events;
  } finally {
    await handle.close();
  }
}

async function openToRead(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, carefulRead);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
