import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { lstat, readdir, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";

const hourMs = 3_600_000;

/** Returns a new name for a temporary file, which says who writes it: see `removeStaleTemporaries`. */
export function temporaryName(): string {
  return `.ralph-${machine()}-${process.pid}-${randomBytes(8).toString("hex")}.tmp`;
}

/**
 * Removes the temporary files that a process killed before its rename left in `folder`. One of another machine, whose
 * process nobody here can see, is removed after an hour: none is in use for so long.
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

/** This machine and, on Linux, this PID namespace: only here a pid says anything. */
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
