import { countedTaskLogs, uniqueDependencies, uniqueTasks } from "../migrations/older-tables.ts";
import type { Connection } from "./connection.ts";

/**
 * Adds the keys that our tables refer to where another tool created its tables without them: a foreign key needs a
 * unique parent column, and log lines need an auto-numbered id. Leaves tables that have these keys unchanged.
 */
export function adoptOlderTables(connection: Connection): void {
  if (!isUnique(connection, "tasks", ["id"])) connection.exec(uniqueTasks);
  if (!isUnique(connection, "dependencies", ["blocker_id", "blocked_id"]))
    connection.exec(uniqueDependencies);
  // Only an `INTEGER PRIMARY KEY` numbers new rows automatically.
  if (rowIdColumn(connection, "task_logs") !== "id") connection.exec(countedTaskLogs);
}

function isUnique(connection: Connection, table: string, columns: readonly string[]): boolean {
  const indexes = connection.all<{ name: string }>(
    'SELECT name FROM pragma_index_list(?) WHERE "unique" = 1 AND partial = 0',
    [table],
  );
  const wanted = [...columns].sort().join();
  const single = columns.length === 1 && rowIdColumn(connection, table) === columns[0];
  return single || indexes.some(({ name }) => indexColumns(connection, name).sort().join() === wanted);
}

function indexColumns(connection: Connection, index: string): string[] {
  const columns = connection.all<{ name: string }>("SELECT name FROM pragma_index_info(?)", [index]);
  return columns.map(({ name }) => name.toLowerCase());
}

function rowIdColumn(connection: Connection, table: string): string | undefined {
  const keys = connection.all<{ name: string; type: string }>(
    "SELECT lower(name) AS name, upper(type) AS type FROM pragma_table_info(?) WHERE pk > 0",
    [table],
  );
  return keys.length === 1 && keys[0]?.type === "INTEGER" ? keys[0].name : undefined;
}
