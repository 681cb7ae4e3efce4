import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import type { Reader } from "../../store/port/db.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";
import type { LearningRecord } from "../port/record.ts";
import { renderRecordFile } from "./record-file.ts";
import { listRecords, namesOfRecords } from "./record-store.ts";

/** The folder of record files. */
export interface RecordFolder {
  readonly root: string;
  /** Relative to `root`. */
  readonly dir: string;
}

/** How many of the newest records a repair compares with their files; of older ones only missing files are written. */
const compared = 200;
const perRead = 100;

/** Writes the files of records, each atomically. They are written again after a power failure, so nothing waits for the disk. */
export async function writeRecordFiles(
  { root, dir }: RecordFolder,
  records: readonly LearningRecord[],
): Promise<void> {
  for (const [at, record] of records.entries()) {
    const options = { root, durable: false, tidy: at === 0 };
    await writeFileSafely(join(root, dir, record.fileName), renderRecordFile(record), options);
  }
}

/** Writes the files that a kill or a full disk kept from being written: missing ones, and recent ones of another size. */
export async function repairRecordFiles(q: Reader, folder: RecordFolder): Promise<void> {
  const records = await namesOfRecords(q);
  if (records.length === 0) return;
  const names = new Set(await readdir(join(folder.root, folder.dir)).catch(emptyWhenMissing));
  const missing = records.filter(({ fileName }) => !names.has(fileName)).map(({ id }) => id);
  for (let at = 0; at < missing.length; at += perRead) {
    await writeRecordFiles(folder, await listRecords(q, { ids: missing.slice(at, at + perRead) }));
  }
  for (const record of await listRecords(q, { limit: compared })) {
    if (record.origin !== null) continue;
    const { size } = await lstat(join(folder.root, folder.dir, record.fileName));
    if (size !== Buffer.byteLength(renderRecordFile(record))) await writeRecordFiles(folder, [record]);
  }
}

/** Deletes the files of own attempts' records, if they exist. */
export async function removeRecordFiles(
  { root, dir }: RecordFolder,
  records: readonly Pick<LearningRecord, "fileName" | "origin">[],
): Promise<void> {
  for (const { fileName, origin } of records) {
    if (origin !== null) continue;
    await unlink(join(root, dir, fileName)).catch((error: unknown) => {
      if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error;
    });
  }
}

function emptyWhenMissing(error: unknown): readonly string[] {
  if (systemCode(error) === "ENOENT") return [];
  throw error;
}
