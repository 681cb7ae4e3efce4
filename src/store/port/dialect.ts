/** Named differences between SQL databases. Each driver implements them; all other SQL is the portable subset. */

/** A piece of SQL and the values of its `?`, in order. */
export interface SqlFragment {
  readonly sql: string;
  readonly params: readonly (string | number | null)[];
}

export type ColumnType = "text" | "integer" | "real";

/** A table or an index of ralph's schema. */
export interface SchemaObject {
  readonly kind: "table" | "index";
  readonly name: string;
  /** The table itself, or the table that an index belongs to. */
  readonly table: string;
  /** The statement that creates it. */
  readonly sql: string;
  /** A part of a virtual table, created together with that table. */
  readonly shadow: boolean;
  /** Part of the search index, which can be rebuilt from other tables. */
  readonly derived: boolean;
  /** The columns of a table; empty for an index. */
  readonly columns: readonly string[];
}

/** Driver-specific SQL and queries, bound to one reader. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
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
  /** The columns of one table, virtual ones included; `undefined` when there is no such table. */
  columnsOf(table: string): Promise<readonly string[] | undefined>;
  /** The schema that this version of ralph creates, in the order of creation. Does not read the store. */
  schemaObjects(): Promise<readonly SchemaObject[]>;
  /** The last number that was generated for a table's auto-numbered key; 0 before the first. */
  lastNumber(table: string): Promise<number>;
}

/** Quotes an identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
