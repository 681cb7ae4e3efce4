/**
 * One step of the schema. Its parts run in this order. Each part must work on a database that has some of it already:
 * use `IF NOT EXISTS` in the SQL; a column is added only where it is missing.
 */
export interface Migration {
  /** The schema version after this step. */
  readonly version: number;
  readonly tables: string;
  /** Table → definitions of columns to add, such as `agent TEXT`. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly indexes: string;
  /** Statements that convert existing rows. */
  readonly data: string;
}
