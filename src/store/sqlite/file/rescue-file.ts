import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Connection, openConnection, useWriteAheadLog } from "../connection.ts";
import { makePrivate, toDisk } from "./durable-file.ts";

/**
 * An open file lives on when it is removed: writes what `connection` still holds to its place, over whatever stands
 * there, and opens that. The old connection is closed.
 */
export async function rescueFile(connection: Connection): Promise<Connection> {
  const { path } = connection;
  const unfinished = `${path}.${randomBytes(4).toString("hex")}.unfinished`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await makePrivate(unfinished);
    connection.run("VACUUM INTO ?", [unfinished]);
    await toDisk(unfinished);
    // First, for it removes what it takes for its log.
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
