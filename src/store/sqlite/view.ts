import type { SqlValue, View } from "../db.ts";
import { openConnection } from "./connection.ts";

/** A read transaction on a connection of its own: with a write-ahead log it neither waits for writers nor stops them. */
export async function openView(path: string): Promise<View> {
  const connection = await openConnection(path, { readOnly: true });
  try {
    connection.exec("BEGIN");
    // A transaction sees what there is at its first reading.
    connection.get("SELECT 1 FROM sqlite_master");
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    all: async <T>(sql: string, params?: readonly SqlValue[]) => connection.all<T>(sql, params),
    get: async <T>(sql: string, params?: readonly SqlValue[]) => connection.get<T>(sql, params),
    close: async () => connection.close(),
  };
}
