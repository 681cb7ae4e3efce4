import { randomBytes } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import { type Connection, openConnection, useWriteAheadLog } from "./connection.ts";
import { makePrivate, toDisk } from "./durable-file.ts";

/**
 * Restores a database file that was removed or replaced while it was open: the system keeps its content as long as
 * `connection` holds it. Writes that content to its path, replacing any file there, closes `connection` and returns a
 * connection to the new file.
 */
export async function rescueFile(connection: Connection): Promise<Connection> {
  const { path } = connection;
  const unfinished = `${path}.${randomBytes(4).toString("hex")}.unfinished`;
  try {
    makeFolders(dirname(path));
    await makePrivate(unfinished);
    connection.run("VACUUM INTO ?", [unfinished]);
    await toDisk(unfinished);
    // Close first: closing removes the file at the path of the write-ahead log, which must not be the new one.
    connection.close();
    for (const name of [`${path}-wal`, `${path}-shm`, path]) await rm(name, { recursive: true, force: true });
    await rename(unfinished, path);
    await toDisk(dirname(path));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  const fresh = await openConnection(path, { readOnly: false });
  await useWriteAheadLog(fresh);
  return fresh;
}
