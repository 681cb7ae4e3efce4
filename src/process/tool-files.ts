import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";

/** Files without a name for one tool's input and output. A program that outlives the tool writes to them unread. */
export interface ToolFiles {
  /** The paths by which another process of this user opens them. */
  readonly stdin: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes in the outputs so far. */
  size(): number;
  /** Returns what is in the outputs now, of each at most `maxBytes`. */
  read(maxBytes: number): { readonly stdout: string; readonly stderr: string };
  close(): void;
}

/** In memory, where there is room for a large output; a container may have 64 MB there. */
const memoryFolder = "/dev/shm";
const enoughBytes = 1024 ** 3;
let folder: string | undefined;

/** Linux only. Throws the file system's error. */
export function openToolFiles(stdin: string | Uint8Array | undefined): ToolFiles {
  const opened: number[] = [];
  const open = (): number => {
    const fd = openUnnamed();
    opened.push(fd);
    return fd;
  };
  const close = (): void => {
    for (const fd of opened.splice(0)) closeSync(fd);
  };
  try {
    const [stdout, stderr] = [open(), open()];
    return {
      stdin: stdin === undefined ? "/dev/null" : pathOf(fill(open(), stdin)),
      stdout: pathOf(stdout),
      stderr: pathOf(stderr),
      size: () => fstatSync(stdout).size + fstatSync(stderr).size,
      read: (maxBytes) => ({ stdout: readStart(stdout, maxBytes), stderr: readStart(stderr, maxBytes) }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** `O_TMPFILE` of Linux on the processors that Node supports. The file never has a name that a kill could leave behind. */
const unnamed = constants.O_RDWR | (constants.O_DIRECTORY ?? 0) | 0o20000000;

function openUnnamed(): number {
  folder ??= hasRoom() ? memoryFolder : tmpdir();
  try {
    return openSync(folder, unnamed, 0o600);
  } catch (error) {
    // Some file systems, such as overlays, know only files with a name.
    if (!["EOPNOTSUPP", "ENOTSUP", "EISDIR", "EINVAL"].includes(systemCode(error) ?? "")) throw error;
  }
  const path = join(folder, `ralph-${randomUUID()}`);
  const fd = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  return fd;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= enoughBytes;
  } catch {
    return false;
  }
}

function fill(fd: number, content: string | Uint8Array): number {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  return fd;
}

const pathOf = (fd: number): string => `/proc/${process.pid}/fd/${fd}`;

function readStart(fd: number, maxBytes: number): string {
  const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, maxBytes));
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(fd, bytes, length, bytes.length - length, length);
    if (read === 0) break;
    length += read;
  }
  return bytes.toString("utf8", 0, length);
}
