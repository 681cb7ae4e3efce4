/** Returns a new id such as `t-3fa9c1`: the prefix, a dash and `bytes` random bytes in hex. */
export function newId(prefix: string, bytes = 3): string {
  // The global is loaded when it is used; importing node:crypto would cost `ralph status` milliseconds.
  return `${prefix}-${Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex")}`;
}
