import { lookThrough } from "../../base/careful-files.ts";
import { RalphError } from "../../base/errors.ts";
import { openStore } from "../../store/open-store.ts";
import type { Db } from "../../store/port/db.ts";

/** How long one statement may block this process while it waits for a lock, in milliseconds. */
export const busyMs = 50;

/** Opens the file of the shared memory; creates it unless `readOnly`. */
export async function openFile(path: string, readOnly: boolean): Promise<Db> {
  return openStore({ path, readOnly, busyMs, schema: "hivemind" });
}

export function isLocked(error: unknown): boolean {
  return error instanceof RalphError && error.code === "RALPH_STORE_LOCKED";
}

/** A connection to the shared memory that several calls use. */
export interface HivemindConnection {
  /** Runs `work`. Opens the file first when it is not open, or when it was deleted or replaced in the meantime. */
  use<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Closes the file. A later call opens it again. */
  close(): Promise<void>;
}

/** Creates a connection; its first call opens the file. After an error, the next call opens it again. */
export function connectHivemind(path: string): HivemindConnection {
  // One at a time: opening a second one would release the locks that this process holds on the file.
  let opened: Promise<OpenFile> | undefined;

  const close = async (): Promise<void> => {
    const closing = opened;
    opened = undefined;
    await closing?.then(({ db }) => db.close()).catch(() => undefined);
  };
  const open = async (): Promise<OpenFile> => {
    try {
      const db = await openFile(path, false);
      return { db, identity: identityOf(path) };
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  return {
    close,
    use: async (work) => {
      const before = opened;
      const isCutOff = before && (await before).identity !== identityOf(path);
      if (isCutOff && opened === before) await close();
      opened ??= open();
      const current = opened;
      try {
        return await work((await current).db);
      } catch (error) {
        if (opened === current && !isLocked(error)) await close();
        throw error;
      }
    },
  };
}

interface OpenFile {
  readonly db: Db;
  readonly identity: string | undefined;
}

/** Returns the identity of a file; undefined when there is none. An open file's is not given to another one. */
function identityOf(path: string): string | undefined {
  const file = lookThrough(path);
  return file && `${file.dev}:${file.ino}`;
}
