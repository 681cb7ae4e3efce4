import type { Connection } from "../connection.ts";

/** The tables of a store at one moment. */
export interface SchemaMark {
  /** Numbers in the file's header; SQLite counts the first one up with every change of the schema. */
  readonly numbers: string;
  readonly tables: string;
}

/** The last mark of each connection. */
const marks = new WeakMap<Connection, SchemaMark>();

/** Reads the tables only when the numbers changed since the last call: who resets these is not noticed later either. */
export function markSchema(connection: Connection): SchemaMark {
  const numbers = numbersOf(connection);
  const known = marks.get(connection);
  if (known?.numbers === numbers) return known;
  const mark = { numbers, tables: tablesOf(connection) };
  marks.set(connection, mark);
  return mark;
}

/**
 * Returns true when tables or indexes were added, changed or removed since `mark`, or the store declares another version. Ralph
 * does so only when it opens a store. Costs microseconds while it is not so. Ignores triggers and views.
 */
export function hasOtherSchema(connection: Connection, mark: SchemaMark): boolean {
  try {
    const numbers = numbersOf(connection);
    if (numbers === mark.numbers) return false;
    return versionIn(numbers) !== versionIn(mark.numbers) || tablesOf(connection) !== mark.tables;
  } catch {
    // A schema that SQLite cannot read.
    return true;
  }
}

function numbersOf(connection: Connection): string {
  const numbers = ["schema_version", "user_version", "application_id"].map((name) =>
    Object.values(connection.get<Record<string, number>>(`PRAGMA ${name}`) ?? {}).join(),
  );
  return numbers.join(" ");
}

function versionIn(numbers: string): string {
  return numbers.split(" ").slice(1).join(" ");
}

function tablesOf(connection: Connection): string {
  const sql =
    "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'index') ORDER BY type, name";
  return JSON.stringify(connection.all(sql));
}
