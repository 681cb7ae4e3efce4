// The hash of everything that the build reads: it says whether dist/ is older than its sources.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const hashFile = "dist/.source-hash";

/** Returns the SHA-256 of the names and contents of the product's source files in `root`; tests do not count. */
export function sourceHash(root) {
  const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash("sha256");
  const others = ["scripts/build.mjs", "scripts/mcp-shims.mjs", "package-lock.json"].map((file) => join(root, file));
  for (const file of [...sources, ...others]) {
    hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}
