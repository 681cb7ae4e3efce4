import { existsSync } from "node:fs";
import { chmod, lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder, writeFileSafely } from "../../trust/safe-file.ts";

/** Ignores everything in `.ralph`, this file included, except the files that a person writes. */
const ignore = "*\n!config.yaml\n!prompt.md\n";
/** The content that versions without prompt templates wrote. */
const olderIgnore = "*\n!config.yaml\n";

/** Creates `.ralph`, or restricts an existing one, to mode 0700, with a `.gitignore` for all but the configuration and the
 * prompt template. */
export async function preparePrivateFolder(root: string): Promise<void> {
  const folder = join(root, ".ralph");
  await makePrivateFolder(folder, { root });
  await closeToOthers(folder);
  const file = join(folder, ".gitignore");
  const content = existsSync(file) ? await readFile(file, "utf8") : olderIgnore;
  if (content === olderIgnore) await writeFileSafely(file, ignore, { root });
}

async function closeToOthers(folder: string): Promise<void> {
  const { mode, uid } = await lstat(folder);
  const isOpen = process.platform !== "win32" && (mode & 0o077) !== 0;
  if (isOpen && uid === process.getuid?.()) await chmod(folder, mode & 0o700);
}
