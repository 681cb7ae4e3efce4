import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { lstat, readdir, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";

const hourMs = 3_600_000;

/** Returns a new name for a temporary file, which identifies its writer for `removeStaleTemporaries`. */
export function temporaryName(): string {
  return `.ralph-${machine()}-${process.pid}-${randomBytes(8).toString("hex")}.tmp`;
}

/**
 * Removes the temporary files in `folder` of processes that were killed before the rename. A file from another machine,
 * whose processes cannot be seen from here, is removed after an hour: none is in use that long.
 */
export async function removeStaleTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const writer = /^\.ralph-(?:([0-9a-f]{8})-(\d+)-)?[0-9a-f]{16}\.tmp$/.exec(name);
    if (!writer) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isFile()) continue;
    const [, where, pid] = writer;
    const isOver = where === machine() ? !isRunning(Number(pid)) : Date.now() - found.mtimeMs > hourMs;
    if (isOver) await unlink(path).catch(() => undefined);
  }
}

let here: string | undefined;

/** Identifies this machine and, on Linux, this PID namespace: a pid is meaningful only within them. */
function machine(): string {
  here ??= sha256(`${hostname()} ${namespace()}`).slice(0, 8);
  return here;
}

function namespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
