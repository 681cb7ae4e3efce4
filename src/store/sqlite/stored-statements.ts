import { RalphError } from "../../base/errors.ts";
import type { Connection } from "./connection.ts";

/**
 * Keeps SQLite from running what another program put into a file that several programs write: triggers, views and expressions in
 * indexes and tables, which ralph's schema has none of. One that never ends would block this process, which hears no
 * signal meanwhile.
 */
export interface StatementGuard {
  /**
   * Drops them. Call it at the beginning of a write transaction, which keeps others from adding more. Throws
   * RALPH_STORE_CORRUPT for a table with an expression, which cannot be dropped.
   */
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
    const found = connection.all<StoredStatement>(storedSql);
    if (found.length === 0) clean = version;
    return found;
  };
  const drop = (connection: Connection): void => {
    const found = stored(connection);
    const table = found.find(({ type }) => type === "table");
    if (table) throw withExpression(connection.path, table.name);
    for (const { type, name } of found) connection.exec(`DROP ${type} "${name.replaceAll('"', '""')}"`);
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
  readonly type: "trigger" | "view" | "index" | "table";
  readonly name: string;
}

/** Evaluates nothing: expressions of indexes, partial ones too, generated columns, defaults that are computed, and checks. */
const storedSql = `
  SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')
  UNION SELECT 'index', i.name FROM sqlite_schema AS t JOIN pragma_index_list(t.name) AS i JOIN pragma_index_xinfo(i.name) AS x
    WHERE t.type = 'table' AND (x.cid = -2 OR i.partial)
  UNION SELECT 'table', t.name FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c
    WHERE t.type = 'table' AND (c.hidden IN (2, 3) OR c.dflt_value LIKE '%(%')
  UNION SELECT 'table', name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%CHECK%(%'`;

function withExpression(path: string, table: string): RalphError {
  return new RalphError(
    "RALPH_STORE_CORRUPT",
    `the store ${path} is damaged: its table ${table} computes values, which ralph's own does not`,
    { hint: "move the file away: ralph begins a new one" },
  );
}

function planted(path: string): RalphError {
  return new RalphError(
    "RALPH_STORE_PLANTED",
    `${path} contains triggers, views or computed values, which ralph does not use`,
    {
      hint: "run `ralph run`, which removes them",
    },
  );
}
