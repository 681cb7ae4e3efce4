import type { Reader } from "../port/db.ts";
import {
  type ColumnType,
  type Dialect,
  quoted,
  type SchemaTable,
  type SqlFragment,
} from "../port/dialect.ts";

/** SQLite's dialect for one reader. Lists are passed as one JSON parameter, so the text of a statement stays the same. */
export class SqliteDialect implements Dialect {
  readonly name = "sqlite";
  readonly place = "";
  readonly #reader: Pick<Reader, "all" | "get">;
  readonly #opened: () => number;

  /** `opened`: how often the file was opened for `reader`. */
  constructor(reader: Pick<Reader, "all" | "get">, opened: () => number = () => 1) {
    this.#reader = reader;
    this.#opened = opened;
  }

  stamp(now: Date, msAgo = 0): SqlFragment {
    return { sql: "?", params: [new Date(now.getTime() - msAgo).toISOString()] };
  }

  inList(column: string, values: readonly (string | number)[]): SqlFragment {
    return { sql: `${column} IN (SELECT value FROM json_each(?))`, params: [JSON.stringify(values)] };
  }

  listRows(_type: ColumnType, values: readonly (string | number)[]): SqlFragment {
    return { sql: "json_each(?)", params: [JSON.stringify(values)] };
  }

  tupleRows(
    columns: Readonly<Record<string, ColumnType>>,
    tuples: readonly (readonly (string | number | null)[])[],
  ): SqlFragment {
    const cells = Object.keys(columns).map((name, index) => `value ->> ${index} AS ${quoted(name)}`);
    return { sql: `(SELECT ${cells.join(", ")} FROM json_each(?))`, params: [JSON.stringify(tuples)] };
  }

  async changeStamp(): Promise<number> {
    return this.#opened() * 2 ** 32 + (await this.#pragma("data_version"));
  }

  async schemaVersion(): Promise<number> {
    return this.#pragma("user_version");
  }

  async columnsOf(table: string): Promise<readonly string[] | undefined> {
    const found = await this.#reader.get(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(?)",
      [table],
    );
    if (!found) return undefined;
    const rows = await this.#reader.all<{ name: string }>("SELECT name FROM pragma_table_info(?)", [table]);
    return rows.map(({ name }) => name);
  }

  async schemaTables(): Promise<readonly SchemaTable[]> {
    const { projectTables } = await import("../migrations/schema-tables.ts");
    return projectTables();
  }

  async lastNumber(table: string): Promise<number> {
    const row = await this.#reader.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = ?", [
      table,
    ]);
    return Number(row?.seq ?? 0);
  }

  async continueNumbers(): Promise<void> {
    // SQLite does so by itself.
  }

  async #pragma(name: string): Promise<number> {
    return (await this.#reader.get<Record<string, number>>(`PRAGMA ${name}`))?.[name] ?? 0;
  }
}
