import { RalphError } from "../../base/errors.ts";
import type { Connection } from "./connection.ts";

/**
 * Keeps SQLite from running what another program put into a file that several programs write: triggers and views, which
 * ralph's schema has none of. One that never ends would block this process, which hears no signal meanwhile.
 */
export interface StatementGuard {
  /** Drops them. Call it at the beginning of a write transaction, which keeps others from adding more. */
  drop(connection: Connection): void;
  /** Runs statements that read, in a transaction of their own. Drops or, without the right to write, refuses them before. */
  reading<T>(connection: Connection, statements: () => T): T;
}

/** Creates the guard of one connection. `readOnly`: it cannot drop anything. */
export function statementGuard(readOnly: boolean): StatementGuard {
  // SQLite itself notices a changed schema only by this number.
  let clean = -1;
  const stored = (connection: Connection): readonly StoredStatement[] => {
    const version = connection.get<{ schema_version: number }>("PRAGMA schema_version")?.schema_version ?? -1;
    if (version === clean) return [];
    const found = connection.all<StoredStatement>(
      "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')",
    );
    if (found.length === 0) clean = version;
    return found;
  };
  const drop = (connection: Connection): void => {
    for (const { type, name } of stored(connection))
      connection.exec(`DROP ${type === "view" ? "VIEW" : "TRIGGER"} "${name.replaceAll('"', '""')}"`);
  };
  return {
    drop,
    reading(connection, statements) {
      if (connection.inTransaction) return statements();
      connection.exec("BEGIN");
      try {
        if (stored(connection).length > 0) {
          if (readOnly) throw planted(connection.path);
          connection.exec("COMMIT; BEGIN IMMEDIATE");
          drop(connection);
        }
        return statements();
      } finally {
        if (connection.inTransaction) connection.exec("COMMIT");
      }
    },
  };
}

interface StoredStatement {
  readonly type: "trigger" | "view";
  readonly name: string;
}

function planted(path: string): RalphError {
  return new RalphError(
    "RALPH_STORE_PLANTED",
    `${path} contains triggers or views, which ralph does not use`,
    {
      hint: "run `ralph run`, which removes them",
    },
  );
}
