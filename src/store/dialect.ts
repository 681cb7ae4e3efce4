/** Named differences between SQL databases. Each driver implements them; all other SQL is the portable subset. */

/** A piece of SQL and the values of its `?`, in order. */
export interface SqlFragment {
  readonly sql: string;
  readonly params: readonly (string | number | null)[];
}

export type ColumnType = "text" | "integer" | "real";

export interface TableColumn {
  readonly name: string;
  /** The column's place in the primary key, from 1; 0 when it is not part of it. */
  readonly keyPosition: number;
  readonly nullable: boolean;
}

export interface Table {
  readonly name: string;
  /** In the order of the primary key, columns outside it first. */
  readonly columns: readonly TableColumn[];
}

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

/** A row whose foreign key refers to a missing row. */
export interface Orphan {
  readonly table: string;
  /** A condition that selects this row of `table`. */
  readonly where: SqlFragment;
  /** The columns of the broken foreign key. */
  readonly columns: readonly TableColumn[];
}

/** Driver-specific SQL and queries, bound to one reader. */
export interface Dialect {
  /** A condition: `column` equals one of `values`. The list may have any length, and the SQL text does not depend on it. */
  inList(column: string, values: readonly (string | number)[]): SqlFragment;
  /** A row source with the column `value`, to be used as `FROM <sql> AS name`. */
  listRows(type: ColumnType, values: readonly (string | number)[]): SqlFragment;
  /** A row source with one row per tuple and the given columns, to be used as `FROM <sql> AS name`. */
  tupleRows(
    columns: Readonly<Record<string, ColumnType>>,
    tuples: readonly (readonly (string | number | null)[])[],
  ): SqlFragment;
  /** An expression for a column's value as text that differs wherever the value or its type differs. */
  literalOf(column: string): string;
  /** Returns true when the database refused one row: a violated constraint, or a value of the wrong type. */
  isRowError(error: unknown): boolean;
  /**
   * Returns a number that changes when another connection commits a write, and not when this one does. It also changes when the
   * file was closed meanwhile (`Db.whileClosed`), as nobody knows what was written then.
   */
  changeStamp(): Promise<number>;
  /** The number of the last migration that was applied. */
  schemaVersion(): Promise<number>;
  /** Checks all of the database and returns the first problem, `undefined` for an intact one. */
  findDamage(): Promise<string | undefined>;
  /**
   * Returns the name of a table with a value that no read can return, or with 50,000 more rows than `before` has, an earlier moment
   * of the same store; undefined: there is none.
   */
  findUnreadable(before?: { get<T>(sql: string): Promise<T | undefined> }): Promise<string | undefined>;
  /** The ordinary tables, ordered by name, without those of the database itself and without virtual tables. */
  tables(): Promise<readonly Table[]>;
  /** The columns of one table, virtual ones included; `undefined` when there is no such table. */
  columnsOf(table: string): Promise<readonly string[] | undefined>;
  /** The names of its views: ralph's schema has none, and one in a table's place may never end. */
  views(): Promise<readonly string[]>;
  /** The schema that this version of ralph creates, in the order of creation. Does not read the store. */
  schemaObjects(): Promise<readonly SchemaObject[]>;
  /** The names of tables and indexes that are defined otherwise than in `objects`, or not there: an expression in one may never end. */
  otherThan(objects: readonly SchemaObject[]): Promise<readonly string[]>;
  /** The last number that was generated for a table's auto-numbered key; 0 before the first. */
  lastNumber(table: string): Promise<number>;
}

/** The part of the dialect that changes a transaction or writes. */
export interface WriteDialect extends Dialect {
  /** Checks foreign keys at the end of the transaction, not at each statement. */
  deferForeignKeys(): Promise<void>;
  /** Rows that violate a foreign key while checks are deferred. */
  orphans(): Promise<readonly Orphan[]>;
  /** Removes statements that the database would execute by itself (triggers, views): ralph's schema has none. Returns their names. */
  dropStoredStatements(): Promise<readonly string[]>;
  /** Makes the next generated number of a table's auto-numbered key follow `last`. */
  continueNumbers(table: string, last: number): Promise<void>;
}

/** Quotes an identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
