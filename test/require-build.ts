import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashFile, sourceHash } from "../scripts/source-hash.mjs";

/** Throws unless `dist/` in `root` was built from the present sources: tests of commands would test an old product. */
export function requireBuild(root: string): void {
  const file = join(root, hashFile);
  const built = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (built === sourceHash(root)) return;
  throw new Error(
    `dist/ is ${built ? "older than src/" : "missing or incomplete"}: run \`npm run build\` before tests of commands`,
  );
}
