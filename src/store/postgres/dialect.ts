import { projectTables } from "../migrations/schema-tables.ts";
import type { Reader } from "../port/db.ts";
import {
  type ColumnType,
  type Dialect,
  quoted,
  type SchemaTable,
  type SqlFragment,
} from "../port/dialect.ts";
import { versionOf } from "./schema-store.ts";

const typeNames: Readonly<Record<ColumnType, string>> = {
  text: 'text COLLATE "C"',
  integer: "bigint",
  real: "double precision",
};

/** PostgreSQL's dialect for one reader. Lists are passed as one JSON parameter, so the text of a statement stays the same. */
export class PostgresDialect implements Dialect {
  readonly name = "postgres";
  readonly place: string;
  readonly #reader: Pick<Reader, "all" | "get">;
  readonly #ownWrites: () => number;

  /** `ownWrites`: the transactions that this connection has committed. */
  constructor(reader: Pick<Reader, "all" | "get">, place: string, ownWrites: () => number = () => 0) {
    this.#reader = reader;
    this.place = place;
    this.#ownWrites = ownWrites;
  }

  stamp(_now: Date, msAgo = 0): SqlFragment {
    const sql = `to_char(clock_timestamp() AT TIME ZONE 'UTC' - ?::bigint * interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    return { sql, params: [msAgo] };
  }

  inList(column: string, values: readonly (string | number)[]): SqlFragment {
    const type = typeof values[0] === "number" ? "integer" : "text";
    const { sql, params } = this.listRows(type, values);
    return { sql: `${column} IN (SELECT value FROM ${sql} AS listed)`, params };
  }

  listRows(type: ColumnType, values: readonly (string | number)[]): SqlFragment {
    const sql = `(SELECT value::${typeNames[type]} AS value FROM jsonb_array_elements_text(?::jsonb))`;
    return { sql, params: [jsonOf(values)] };
  }

  tupleRows(
    columns: Readonly<Record<string, ColumnType>>,
    tuples: readonly (readonly (string | number | null)[])[],
  ): SqlFragment {
    const cells = Object.entries(columns).map(
      ([name, type], index) => `(value ->> ${index})::${typeNames[type]} AS ${quoted(name)}`,
    );
    const sql = `(SELECT ${cells.join(", ")} FROM jsonb_array_elements(?::jsonb))`;
    return { sql, params: [jsonOf(tuples)] };
  }

  async changeStamp(): Promise<number> {
    const row = await this.#reader.get<{ writes: number }>("SELECT writes FROM ralph_store");
    return Number(row?.writes ?? 0) - this.#ownWrites();
  }

  async schemaVersion(): Promise<number> {
    return versionOf(this.#reader);
  }

  async columnsOf(table: string): Promise<readonly string[] | undefined> {
    const rows = await this.#reader.all<{ name: string }>(
      `SELECT column_name::text AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position`,
      [table],
    );
    return rows.length === 0 ? undefined : rows.map(({ name }) => name);
  }

  async schemaTables(): Promise<readonly SchemaTable[]> {
    return projectTables();
  }

  async lastNumber(table: string): Promise<number> {
    const row = await this.#reader.get<{ n: number | null }>(
      "SELECT pg_sequence_last_value(pg_get_serial_sequence(?, ?)::regclass) AS n",
      [table, table === "events" ? "seq" : "id"],
    );
    return Number(row?.n ?? 0);
  }

  async continueNumbers(): Promise<void> {
    const keys = await this.#reader.all<{ name: string; key: string }>(
      `SELECT table_name::text AS name, column_name::text AS key FROM information_schema.columns
       WHERE table_schema = current_schema() AND is_identity = 'YES'`,
    );
    for (const { name, key } of keys)
      await this.#reader.get(
        `SELECT setval(pg_get_serial_sequence(?, ?), COALESCE(MAX(${key}), 0) + 1, false) FROM ${name}`,
        [name, key],
      );
  }
}

/** JSON on the server cannot hold the character 0 either. */
function jsonOf(values: readonly unknown[]): string {
  return JSON.stringify(values, (_key, value) =>
    typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value,
  );
}
