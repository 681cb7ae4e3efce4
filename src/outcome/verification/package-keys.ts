import { isObject, parseJson } from "../../base/json.ts";
import type { FileDiff } from "./parse-diff.ts";

/** The keys of a `package.json` that define or configure what verification runs. */
const keysOfVerification = [
  ...["scripts", "wireit", "nx", "config", "packageManager"],
  ...["vitest", "jest", "mocha", "ava", "tap", "c8", "nyc", "babel", "eslintConfig", "xo"],
];

/**
 * Returns true if no such key of a `package.json` changed, such as for a new dependency. The diff has to contain the whole
 * file; false if it does not, or the file is not JSON.
 */
export function leavesVerification({ before, after, isOpaque, becameLink }: FileDiff): boolean {
  if (isOpaque || becameLink) return false;
  const [old, now] = [parseJson(before.join("\n")), parseJson(after.join("\n"))];
  if (!isObject(old) || !isObject(now)) return false;
  return keysOfVerification.every((key) => JSON.stringify(old[key]) === JSON.stringify(now[key]));
}
