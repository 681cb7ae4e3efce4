import { existsSync, realpathSync, renameSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lookAt, makeFolders } from "../../base/careful-files.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";

/** Where lists are, and where an agent's versions of them are kept. */
export interface ListPlace {
  readonly projectRoot: string;
  readonly keepIn: string;
}

/**
 * Writes a list as it was. What is in its place, of whatever kind, is moved to `keepIn`; a `text` that was read before is written
 * there instead. Returns what became of the other version, for a warning. Errors: those of `writeFileSafely` and of the files.
 */
export async function restoreList(
  { projectRoot, keepIn }: ListPlace,
  path: string,
  { former, text }: { readonly former: Buffer; readonly text?: Buffer },
): Promise<string> {
  const file = join(projectRoot, path);
  const kept = freeName(join(keepIn, path));
  const there = isOwnFolder(projectRoot, path) && lookAt(file);
  if (there && (text === undefined || !there.isFile())) {
    makeFolders(dirname(kept));
    renameSync(file, kept);
  } else if (text !== undefined) await writeFileSafely(kept, text, { root: projectRoot });
  await writeFileSafely(file, former, { root: projectRoot, mode: 0o644 });
  return there || text !== undefined
    ? `its other version is in ${relative(projectRoot, keepIn)}`
    : "it was gone";
}

/** Returns false where a link in the path leads elsewhere. */
function isOwnFolder(projectRoot: string, path: string): boolean {
  const folder = dirname(path);
  if (!existsSync(join(projectRoot, folder))) return true;
  return realpathSync(join(projectRoot, folder)) === join(realpathSync(projectRoot), folder);
}

/** The copy of an earlier iteration may hold a person's edits. */
function freeName(path: string): string {
  return lookAt(path) ? `${path}.${Date.now()}` : path;
}
