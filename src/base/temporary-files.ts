import { randomBytes } from "node:crypto";
import { lstatSync, readlinkSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { namesIn } from "./careful-files.ts";
import { systemCode } from "./errors.ts";
import { sha256 } from "./hash.ts";

const hourMs = 3_600_000;

/** Returns a new name for a temporary file, which identifies its writer for `removeStaleTemporaries`. */
export function temporaryName(): string {
  return `.ralph-${machine()}-${process.pid}-${randomBytes(8).toString("hex")}.tmp`;
}

/** With `.lock`: git's lock of such a file. */
const form = /^\.ralph-(?:([0-9a-f]{8})-(\d+)-)?[0-9a-f]{16}\.tmp(?:\.lock)?$/;

export function isTemporary(name: string): boolean {
  return form.test(name);
}

/**
 * Removes the temporary files in `folder` of processes that were killed before the rename. A file from another machine,
 * whose processes cannot be seen from here, is removed after an hour: none is in use that long.
 */
export function removeStaleTemporaries(folder: string): void {
  for (const name of namesIn(folder)) {
    const writer = form.exec(name);
    if (!writer) continue;
    const [, where, pid] = writer;
    try {
      const path = join(folder, name);
      const found = lstatSync(path);
      const isOver = where === machine() ? !isRunning(Number(pid)) : Date.now() - found.mtimeMs > hourMs;
      if (isOver && found.isFile()) unlinkSync(path);
    } catch {
      // Another process removed it, or it cannot be removed: the next write tries again.
    }
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
