import { randomBytes } from "node:crypto";
import { sha256 } from "../../base/hash.ts";
import { isAlive, thisOwner } from "../../process/identity.ts";

/** Returns a file name that identifies its owner, so that a later start can detect a stale index. */
export function privateIndexName(): string {
  const { pid, startTime } = thisOwner();
  return `ralph-index-${machine()}-${pid}-${hex(startTime)}-${randomBytes(6).toString("hex")}`;
}

/**
 * Returns the owner state of a private index file by its name: its process is dead (`left`), alive (`used`), or on another
 * machine or from an older ralph (`unknown`). Undefined for other files.
 */
export function ownerOfIndex(name: string): "left" | "used" | "unknown" | undefined {
  const parts = /^ralph-index-(?:([0-9a-f]{8})-(\d+)-([0-9a-f]*)-)?[0-9a-f]{12}(?:\.lock)?$/.exec(name);
  if (!parts) return undefined;
  const [, where, pid, startTime = ""] = parts;
  if (where !== machine()) return "unknown";
  const owner = { ...thisOwner(), pid: Number(pid), startTime: Buffer.from(startTime, "hex").toString() };
  return isAlive(owner) ? "used" : "left";
}

/** Identifies the boot, machine and PID namespace, in which a pid is meaningful. */
function machine(): string {
  const { host, bootId } = thisOwner();
  return sha256(`${host} ${bootId}`).slice(0, 8);
}

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}
