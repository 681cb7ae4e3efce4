import { randomBytes } from "node:crypto";
import { sha256 } from "../../base/hash.ts";
import { isAlive, thisOwner } from "../../process/identity.ts";

/** Names whose it is, so that a later start can tell one that a kill left behind. */
export function privateIndexName(): string {
  const { pid, startTime } = thisOwner();
  return `ralph-index-${machine()}-${pid}-${hex(startTime)}-${randomBytes(6).toString("hex")}`;
}

/**
 * Whose an index file is, by its name: nobody's any more (`left`), a running ralph's (`used`), or one of another
 * machine that sees this folder, or of an older ralph (`unknown`). Undefined: no such index.
 */
export function ownerOfIndex(name: string): "left" | "used" | "unknown" | undefined {
  const parts = /^ralph-index-(?:([0-9a-f]{8})-(\d+)-([0-9a-f]*)-)?[0-9a-f]{12}(?:\.lock)?$/.exec(name);
  if (!parts) return undefined;
  const [, where, pid, startTime = ""] = parts;
  if (where !== machine()) return "unknown";
  const owner = { ...thisOwner(), pid: Number(pid), startTime: Buffer.from(startTime, "hex").toString() };
  return isAlive(owner) ? "used" : "left";
}

/** This boot of this machine, and the PID namespace: only here a pid says anything. */
function machine(): string {
  const { host, bootId } = thisOwner();
  return sha256(`${host} ${bootId}`).slice(0, 8);
}

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}
