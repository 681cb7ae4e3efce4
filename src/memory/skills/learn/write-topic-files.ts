import { lstat, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../base/errors.ts";
import { makePrivateFolder, writeFileSafely } from "../../../trust/safe-file.ts";

/** The folder of record files. */
export interface RecordFolder {
  readonly root: string;
  /** Relative to `root`. */
  readonly dir: string;
}

/** One topic's file. */
export interface TopicFile {
  readonly slug: string;
  readonly text: string;
}

const folderName = "aggregated";

/** Returns which of the topics' files are missing. */
export async function missingFiles(
  { root, dir }: RecordFolder,
  slugs: readonly string[],
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  for (const slug of slugs) {
    const found = await lstat(join(root, dir, folderName, `${slug}.yaml`)).catch(() => undefined);
    if (!found) missing.add(slug);
  }
  return missing;
}

/** Writes the files whose text changed, each atomically, and removes those of topics without evidence. Returns the number written. */
export async function writeTopicFiles(
  { root, dir }: RecordFolder,
  files: readonly TopicFile[],
  gone: readonly string[],
): Promise<number> {
  const folder = join(root, dir, folderName);
  let written = 0;
  for (const { slug, text } of files) {
    const path = join(folder, `${slug}.yaml`);
    // A link in its place is refused by the write.
    const isFile = await lstat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isFile && (await readFile(path, "utf8")) === text) continue;
    await writeFileSafely(path, text, { root, durable: false });
    written += 1;
  }
  await removeTopicFiles({ root, dir }, gone);
  return written;
}

/** Removes the files of topics. Throws RALPH_PATH_SYMLINK for a link among the folders. */
export async function removeTopicFiles({ root, dir }: RecordFolder, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return;
  const folder = join(root, dir, folderName);
  await makePrivateFolder(folder, { root });
  for (const slug of slugs) await unlink(join(folder, `${slug}.yaml`)).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (systemCode(error) !== "ENOENT") throw error;
}
