import { sha256 } from "../base/hash.ts";

const maxLength = 64;
const hashLength = 8;
/** File names that Windows reserves for devices. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * Returns a name that is safe as one part of a path and as a git ref: `[a-z0-9-]`, 1 to 64 characters, no dash at either
 * end. A changed name ends with a short hash of the original, so different names stay different. Idempotent.
 */
export function slug(name: string): string {
  if (name.length <= maxLength && /^[a-z0-9]+(-+[a-z0-9]+)*$/.test(name) && !device.test(name)) return name;
  const words = name
    .slice(0, 4 * maxLength)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  const readable = words
    .join("-")
    .slice(0, maxLength - hashLength - 1)
    .replace(/-$/, "");
  const hash = sha256(name).slice(0, hashLength);
  return readable === "" ? `x-${hash}` : `${readable}-${hash}`;
}
