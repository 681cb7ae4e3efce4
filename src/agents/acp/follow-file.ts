import { closeSync, openSync, readSync } from "node:fs";
import { carefulRead } from "../../base/careful-files.ts";
import { lineSplitter } from "../../process/line-splitter.ts";
import type { SessionHost } from "../port/session-stream.ts";

const pollMs = 1000;
const chunkBytes = 64 * 1024;
const maxLineBytes = 64 * 1024;

/** Passes on the lines that a program appends to a file, until the session ends. The file need not exist. */
export function followFile(
  path: string,
  { after }: Pick<SessionHost, "after">,
  onLine: (text: string) => void,
): void {
  const lines = lineSplitter({ maxLineBytes, onLine: ({ text }) => onLine(text) });
  let position = 0;
  const poll = (): void => {
    const bytes = readFrom(path, position);
    position += bytes.length;
    lines.push(bytes);
    after(bytes.length === chunkBytes ? 0 : pollMs, poll);
  };
  after(pollMs, poll);
}

function readFrom(path: string, position: number): Buffer {
  let file: number | undefined;
  try {
    // Opening a pipe that the agent put in its place would wait for a writer, and block this process.
    file = openSync(path, carefulRead);
    const buffer = Buffer.alloc(chunkBytes);
    return buffer.subarray(0, readSync(file, buffer, 0, chunkBytes, position));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
