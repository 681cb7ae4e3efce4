import { randomBytes } from "node:crypto";

/** A new id such as `t-3fa9c1`: the prefix, a dash and `bytes` random bytes in hex. */
export function newId(prefix: string, bytes = 3): string {
  return `${prefix}-${randomBytes(bytes).toString("hex")}`;
}
