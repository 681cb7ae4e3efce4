import { rmdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isHeadLost, verifyLog } from "../../../events/verify-log.ts";
import { copyAside } from "../../../trust/move-aside.ts";
import type { ProjectKey } from "../../../trust/project-key.ts";
import { describeReplaced } from "./replaced-store.ts";

interface Place {
  /** The project's folder. */
  readonly root: string;
  readonly key: ProjectKey;
}

const logName = "events.jsonl";

/**
 * Copies the store at `path` and the log to `.ralph/put-aside` before ralph puts back what they say: a person may have put them
 * there. Returns the folder; null when nothing could be copied. Nothing may have the store open in this process.
 */
export function copyFound(root: string, path: string): string | null {
  const folder = join(root, ".ralph");
  try {
    return copyAside(folder, [path, `${path}-wal`, join(folder, logName)]);
  } catch {
    // A full disk: nothing depends on the copy.
    return null;
  }
}

/** Removes the copy in `keptIn`: nothing was put back. */
export function removeFound(keptIn: string): void {
  rmSync(keptIn, { recursive: true, force: true });
  try {
    rmdirSync(dirname(keptIn));
  } catch {
    // It has others.
  }
}

/** Returns the sentence that says what happened to the files that a person may have put there, and how to take them instead. */
export async function explainFound({ root, key }: Place, path: string, keptIn: string): Promise<string> {
  const [store, kept] = [relative(root, path), relative(root, keptIn)];
  const done = `ralph put back what it recorded in this folder, and kept what was there in ${kept}`;
  const isWhole = await isLogWhole(join(keptIn, logName), key);
  return `${describeReplaced(store)}: ${done}. ${isWhole ? changeAgain : takeInstead({ root, key }, path, kept)}`;
}

const changeAgain =
  "If you changed rows by another program, change them again by ralph, such as by `ralph task edit` or `ralph memory edit`";

function takeInstead({ root, key }: Place, path: string, kept: string): string {
  const isUsual = dirname(path) === join(root, ".ralph");
  const command = isUsual
    ? `\`cp ${kept}/* .ralph/ && ralph doctor --repair\``
    : "put these files in their places, then `ralph doctor --repair`";
  // Until then each command compares with the log.
  const when = key.readWork() === null ? "" : ", once `ralph run` has recovered from the killed run";
  return `To take that instead${when}: ${command}`;
}

/** Returns true when the log has all that ralph recorded in this folder, and nothing else: then only rows were changed. */
async function isLogWhole(file: string, key: ProjectKey): Promise<boolean> {
  if (isHeadLost(file, key)) return false;
  const report = await verifyLog(file, key).catch(() => null);
  return report !== null && report.first === null;
}
