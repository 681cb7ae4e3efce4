import { realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRunByNpm, readEnv } from "../../../config/environment.ts";

/**
 * Returns the words that start this installation in another program's session: `ralph` where that is the one on the user's
 * path, so that an update of Node changes nothing; otherwise Node and the file.
 */
export function ownCommand(): readonly [string, ...string[]] {
  // Relative to dist/, where the bundle runs, not to this file.
  const program = fileURLToPath(new URL("../bin/ralph.js", import.meta.url));
  const folders = isRunByNpm() ? [] : (readEnv("PATH") ?? "").split(delimiter).filter(Boolean);
  for (const folder of folders) {
    const found = realPath(join(folder, "ralph"));
    if (found !== undefined) return found === realPath(program) ? ["ralph"] : [process.execPath, program];
  }
  return [process.execPath, program];
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
