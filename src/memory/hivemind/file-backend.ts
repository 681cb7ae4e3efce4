import type { HivemindBackend } from "./backend.ts";
import { findForeign } from "./find-foreign.ts";
import { findRecords } from "./find-records.ts";
import type { HivemindConnection } from "./hivemind-connection.ts";
import { readHivemind, writeHivemind } from "./open-hivemind.ts";
import { countShared, deleteShared, getShared, putShared, refreshShared } from "./shared-memory-store.ts";

/** Keeps the records in the SQLite file at `path`. Without `connection` each call opens it. */
export function fileBackend(path: string, connection?: HivemindConnection): HivemindBackend {
  return {
    put: async (memories, deadlineMs) => {
      await writeHivemind({ path, deadlineMs, connection }, (db) =>
        db.transaction((tx) => putShared(tx, memories)),
      );
      return memories.map(({ id }) => id);
    },
    remove: (ids, deadlineMs) =>
      writeHivemind({ path, deadlineMs, connection }, (db) => db.transaction((tx) => deleteShared(tx, ids))),
    get: async (ids, deadlineMs) =>
      (await readHivemind({ path, deadlineMs, connection }, (db) => getShared(db, ids))) ?? [],
    find: async (request, deadlineMs) =>
      (await readHivemind({ path, deadlineMs, connection }, (db) => findRecords(db, request))) ?? [],
    forTask: async (query, of, deadlineMs) =>
      (await readHivemind({ path, deadlineMs, connection }, (db) => findForeign(db, query, of))) ?? [],
    refresh: (id, now, deadlineMs) =>
      writeHivemind({ path, deadlineMs, connection }, (db) =>
        db.transaction((tx) => refreshShared(tx, id, now)),
      ),
    count: async (deadlineMs) =>
      (await readHivemind({ path, deadlineMs, connection }, countShared)) ?? { records: 0, projects: 0 },
  };
}
