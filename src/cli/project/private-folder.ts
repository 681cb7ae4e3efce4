import { existsSync } from "node:fs";
import { chmod, lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder, writeFileSafely } from "../../trust/safe-file.ts";

/** All of `.ralph` but what a person writes ignores itself, this file too. */
const ignore = "*\n!config.yaml\n!prompt.md\n";
/** As it was before there were templates. */
const olderIgnore = "*\n!config.yaml\n";

/** Makes `.ralph`, or the one that git checked out, the owner's alone (0700), with a `.gitignore` that keeps all but the configuration out of git. */
export async function preparePrivateFolder(root: string): Promise<void> {
  const folder = join(root, ".ralph");
  await makePrivateFolder(folder, { root });
  await closeToOthers(folder);
  const file = join(folder, ".gitignore");
  const there = existsSync(file) ? await readFile(file, "utf8") : olderIgnore;
  if (there === olderIgnore) await writeFileSafely(file, ignore, { root });
}

async function closeToOthers(folder: string): Promise<void> {
  const { mode, uid } = await lstat(folder);
  const isOpen = process.platform !== "win32" && (mode & 0o077) !== 0;
  if (isOpen && uid === process.getuid?.()) await chmod(folder, mode & 0o700);
}
