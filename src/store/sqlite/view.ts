import type { SqlValue, View } from "../db.ts";
import { openConnection } from "./connection.ts";
import { SqliteDialect } from "./sqlite-dialect.ts";

/** Opens a read transaction on a second connection: with a write-ahead log, it and the writers do not block each other. */
export async function openView(path: string): Promise<View> {
  const connection = await openConnection(path, { readOnly: true });
  try {
    connection.exec("BEGIN");
    // The first read fixes the snapshot.
    connection.get("SELECT 1 FROM sqlite_master");
  } catch (error) {
    connection.close();
    throw error;
  }
  const reader = {
    all: async <T>(sql: string, params?: readonly SqlValue[]) => connection.all<T>(sql, params),
    get: async <T>(sql: string, params?: readonly SqlValue[]) => connection.get<T>(sql, params),
  };
  return {
    ...reader,
    dialect: new SqliteDialect(reader),
    close: async () => connection.close(),
  };
}
