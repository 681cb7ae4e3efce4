/** Named differences between SQL databases. Each driver implements them; all other SQL is the portable subset. */

/** A piece of SQL and the values of its `?`, in order. */
export interface SqlFragment {
  readonly sql: string;
  readonly params: readonly (string | number | null)[];
}

export type ColumnType = "text" | "integer" | "real";

/** A table of ralph's schema. */
export interface SchemaTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Driver-specific SQL and queries, bound to one reader. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Begins the names of this working copy's rows in a store that several share; empty: no other copy uses the store. */
  readonly place: string;
  /** A time as ISO 8601, `msAgo` before the present: by the store's own clock where several machines share it, else before `now`. */
  stamp(now: Date, msAgo?: number): SqlFragment;
  /** A condition: `column` equals one of `values`. The list may have any length, and the SQL text does not depend on it. */
  inList(column: string, values: readonly (string | number)[]): SqlFragment;
  /** A row source with the column `value`, to be used as `FROM <sql> AS name`. */
  listRows(type: ColumnType, values: readonly (string | number)[]): SqlFragment;
  /** A row source with one row per tuple and the given columns, to be used as `FROM <sql> AS name`. */
  tupleRows(
    columns: Readonly<Record<string, ColumnType>>,
    tuples: readonly (readonly (string | number | null)[])[],
  ): SqlFragment;
  /**
   * Returns a number that changes when another connection commits a write, and not when this one does. It also changes when the
   * file was written back meanwhile (`FileStore.rescue`).
   */
  changeStamp(): Promise<number>;
  /** The number of the last migration that was applied. */
  schemaVersion(): Promise<number>;
  /** The columns of one table; `undefined` when there is no such table. */
  columnsOf(table: string): Promise<readonly string[] | undefined>;
  /** The tables that this version of ralph creates in a project's store. Does not read it. */
  schemaTables(): Promise<readonly SchemaTable[]>;
  /** The last number that was generated for a table's auto-numbered key; 0 before the first. */
  lastNumber(table: string): Promise<number>;
  /** Lets auto-numbered keys continue after the rows that were inserted with their keys. */
  continueNumbers(): Promise<void>;
}

/** Quotes an identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
