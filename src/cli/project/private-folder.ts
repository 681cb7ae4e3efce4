import { chmod, lstat, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../../base/ids.ts";
import { makePrivateFolder, writeFileSafely } from "../../trust/safe-file.ts";

/** Ignores everything in `.ralph`, this file included, except the files that a person writes. */
const ignore = "*\n!config.yaml\n!prompt.md\n";

/** Creates `.ralph`, or restricts an existing one, to mode 0700, with a `.gitignore` for all but the configuration and the
 * prompt template. */
export async function preparePrivateFolder(root: string): Promise<void> {
  const folder = join(root, ".ralph");
  await makePrivateFolder(folder, { root });
  await closeToOthers(folder);
  const file = join(folder, ".gitignore");
  if (await isToWrite(root, file)) await writeFileSafely(file, ignore, { root });
}

/** Makes room for the file first, where an agent that killed ralph left something else: git and ralph would wait for a pipe. */
async function isToWrite(root: string, file: string): Promise<boolean> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return true;
  if (found.isFile()) return false;
  if (found.isDirectory()) {
    const aside = join(root, ".ralph", "replaced");
    await makePrivateFolder(aside, { root });
    await rename(file, join(aside, newId("gitignore", 5)));
  } else await unlink(file);
  return true;
}

async function closeToOthers(folder: string): Promise<void> {
  const { mode, uid } = await lstat(folder);
  const isOpen = process.platform !== "win32" && (mode & 0o077) !== 0;
  if (isOpen && uid === process.getuid?.()) await chmod(folder, mode & 0o700);
}
