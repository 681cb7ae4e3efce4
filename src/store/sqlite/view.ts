import type { SqlParam, View } from "../port/db.ts";
import { type Connection, openConnection } from "./connection.ts";
import { SqliteDialect } from "./dialect.ts";

/** Opens read transactions on connections of their own, and keeps the last one for the next view. */
interface Views {
  open(path: string): Promise<View>;
  /** Closes the connection that is kept. Later views close theirs. */
  close(): void;
}

/** With a write-ahead log, views and writers do not block each other. */
export function createViews(): Views {
  let kept: Connection | undefined;
  let closed = false;

  const release = (connection: Connection): void => {
    connection.exec("ROLLBACK");
    if (kept || closed) connection.close();
    else kept = connection;
  };
  const take = async (path: string): Promise<Connection> => {
    const connection = kept;
    kept = undefined;
    return connection ?? (await openConnection(path, { readOnly: true }));
  };
  return {
    open: async (path) => {
      const connection = await take(path);
      try {
        connection.exec("BEGIN");
        // The first read fixes the snapshot.
        connection.get("SELECT 1 FROM sqlite_master");
      } catch (error) {
        connection.close();
        throw error;
      }
      return viewOn(connection, () => release(connection));
    },
    close: () => {
      closed = true;
      kept?.close();
      kept = undefined;
    },
  };
}

function viewOn(connection: Connection, close: () => void): View {
  const reader = {
    all: async <T>(sql: string, params?: readonly SqlParam[]) => connection.all<T>(sql, params),
    get: async <T>(sql: string, params?: readonly SqlParam[]) => connection.get<T>(sql, params),
  };
  return { ...reader, dialect: new SqliteDialect(reader), close: async () => close() };
}
