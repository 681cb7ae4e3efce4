import type { Reader, Tx } from "../db.ts";
import {
  type ColumnType,
  type Dialect,
  type Orphan,
  quoted,
  type SchemaObject,
  type SqlFragment,
  type Table,
  type TableColumn,
  type WriteDialect,
} from "../dialect.ts";

/** Result codes of a violated constraint and of a value of the wrong type (sqlite.org/rescode.html). */
const constraintViolated = 19;
const typeMismatch = 20;

/** SQLite's dialect for one reader. Lists are passed as one JSON parameter, so the text of a statement stays the same. */
export class SqliteDialect implements Dialect {
  readonly #reader: Pick<Reader, "all" | "get">;
  readonly #opened: () => number;

  /** `opened`: how often the file was opened for `reader`. */
  constructor(reader: Pick<Reader, "all" | "get">, opened: () => number = () => 1) {
    this.#reader = reader;
    this.#opened = opened;
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

  literalOf(column: string): string {
    return `quote(${column})`;
  }

  isRowError(error: unknown): boolean {
    const code = (error as { errcode?: unknown } | null)?.errcode;
    return typeof code === "number" && [constraintViolated, typeMismatch].includes(code & 0xff);
  }

  async changeStamp(): Promise<number> {
    return this.#opened() * 2 ** 32 + (await this.#pragma("data_version"));
  }

  async schemaVersion(): Promise<number> {
    return this.#pragma("user_version");
  }

  async findDamage(): Promise<string | undefined> {
    const rows = await this.#reader.all<{ integrity_check: string }>("PRAGMA integrity_check(10)");
    const problem = rows.find(({ integrity_check }) => integrity_check !== "ok")?.integrity_check;
    if (problem !== undefined) return problem;
    const table = await this.findUnreadable();
    return table && `the table ${table} has a value that ralph cannot read`;
  }

  async findUnreadable(before?: Pick<Reader, "get">): Promise<string | undefined> {
    const { findFlooded, findUnreadable } = await import("./unreadable-rows.ts");
    const tables = await this.tables();
    const flooded = before && (await findFlooded(this.#reader, before, tables));
    return flooded ?? findUnreadable(this.#reader, tables);
  }

  async tables(): Promise<readonly Table[]> {
    const rows = await this.#reader.all<{ table: string; name: string; pk: number; notnull: number }>(
      `SELECT t.name AS "table", c.name AS "name", c.pk AS "pk", c."notnull" AS "notnull"
       FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY t.name, c.pk`,
    );
    const tables = new Map<string, TableColumn[]>();
    for (const { table, name, pk, notnull } of rows) {
      const columns = tables.get(table) ?? [];
      columns.push(toColumn({ name, pk, notnull }));
      tables.set(table, columns);
    }
    return [...tables].map(([name, columns]) => ({ name, columns }));
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

  async views(): Promise<readonly string[]> {
    const rows = await this.#reader.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'view'",
    );
    return rows.map(({ name }) => name);
  }

  async schemaObjects(): Promise<readonly SchemaObject[]> {
    const { sqliteSchemaObjects } = await import("./schema-objects.ts");
    return sqliteSchemaObjects();
  }

  async otherThan(objects: readonly SchemaObject[]): Promise<readonly string[]> {
    // A column that a migration added is written in another way than in a new table.
    const bare = (sql: string): string => sql.replace(/\s+/g, "");
    const known = new Map(objects.map(({ name, sql }) => [name, bare(sql)]));
    const rows = await this.#reader.all<{ name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema
       WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    );
    return rows.filter(({ name, sql }) => known.get(name) !== bare(sql)).map(({ name }) => name);
  }

  async lastNumber(table: string): Promise<number> {
    const row = await this.#reader.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = ?", [
      table,
    ]);
    return Number(row?.seq ?? 0);
  }

  async #pragma(name: string): Promise<number> {
    return (await this.#reader.get<Record<string, number>>(`PRAGMA ${name}`))?.[name] ?? 0;
  }
}

export class SqliteWriteDialect extends SqliteDialect implements WriteDialect {
  readonly #tx: Pick<Tx, "all" | "get" | "run">;

  constructor(tx: Pick<Tx, "all" | "get" | "run">) {
    super(tx);
    this.#tx = tx;
  }

  async deferForeignKeys(): Promise<void> {
    await this.#tx.all("PRAGMA defer_foreign_keys = ON");
  }

  async dropStoredStatements(): Promise<readonly string[]> {
    const found = await this.#tx.all<{ type: string; name: string }>(
      "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')",
    );
    for (const { type, name } of found)
      await this.#tx.run(`DROP ${type === "view" ? "VIEW" : "TRIGGER"} ${quoted(name)}`);
    return found.map(({ name }) => name);
  }

  async orphans(): Promise<readonly Orphan[]> {
    const found = await this.#tx.all<{ table: string; rowid: number; fkid: number }>(
      'SELECT "table", rowid, fkid FROM pragma_foreign_key_check',
    );
    const orphans: Orphan[] = [];
    for (const { table, rowid, fkid } of found) {
      const columns = await this.#tx.all<{ name: string; pk: number; notnull: number }>(
        `SELECT k."from" AS "name", c.pk AS "pk", c."notnull" AS "notnull"
         FROM pragma_foreign_key_list(?) AS k JOIN pragma_table_info(?) AS c ON c.name = k."from" WHERE k.id = ?`,
        [table, table, fkid],
      );
      orphans.push({
        table,
        where: { sql: "rowid = ?", params: [rowid] },
        columns: columns.map(toColumn),
      });
    }
    return orphans;
  }

  async continueNumbers(table: string, last: number): Promise<void> {
    const changed = await this.#tx.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", [
      last,
      table,
    ]);
    if (changed === 0)
      await this.#tx.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, last]);
  }
}

function toColumn({ name, pk, notnull }: { name: string; pk: number; notnull: number }): TableColumn {
  return { name, keyPosition: pk, nullable: notnull === 0 && pk === 0 };
}
