/**
 * One step of the schema. Its parts run in this order, and each must stand a database that has some of it already:
 * `IF NOT EXISTS` in the SQL, and a column is added only where it is missing.
 */
export interface Migration {
  /** The schema's version after it. */
  readonly version: number;
  readonly tables: string;
  /** Table → definitions of columns to add, such as `agent TEXT`. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly indexes: string;
  /** What becomes of rows that were there before. */
  readonly data: string;
}
