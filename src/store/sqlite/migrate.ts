import { hivemindSchema, projectSchema, type StoreSchema } from "../migrations/schemas.ts";
import { quoted } from "../port/dialect.ts";
import { adoptOlderTables } from "./adopt-older-tables.ts";
import { beginImmediate, type Connection, openConnection } from "./connection.ts";
import { firstVersion, type Schema, type SchemaName, schemaOf, tableNames } from "./schema-version.ts";

const schemas: Readonly<Record<SchemaName, StoreSchema>> = {
  project: projectSchema,
  hivemind: hivemindSchema,
};

/**
 * Migrates the schema to the current version in one transaction. Many processes may do this at once: one migrates, the
 * others find it done. Calls `backUp` before the first change when the database has rows; when it throws, nothing
 * changes.
 */
export async function migrate(
  connection: Connection,
  backUp: () => Promise<void>,
  schema: Schema,
): Promise<void> {
  const known = schemas[schema.name];
  await beginImmediate(connection);
  try {
    const from = schemaOf(connection, schema);
    if (from < schema.version) {
      if (hasRows(connection)) await backUp();
      await apply(connection, known, from);
      connection.exec(
        `PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${schema.version}`,
      );
    }
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

async function apply(connection: Connection, schema: StoreSchema, from: number): Promise<void> {
  const isOlder = from > 0;
  if (isOlder && from < firstVersion) adoptOlderTables(connection);
  for (const { tables } of schema.parts) connection.exec(tables);
  if (isOlder) addColumns(connection, await columnsOf(schema));
  for (const { indexes } of schema.parts) connection.exec(indexes);
  if (isOlder) for (const { toVersion, sql } of schema.convert) if (from < toVersion) connection.exec(sql);
}

function hasRows(connection: Connection): boolean {
  return tableNames(connection).some(
    (table) => connection.get(`SELECT 1 FROM ${quoted(table)} LIMIT 1`) !== undefined,
  );
}

interface Column {
  readonly table: string;
  readonly name: string;
  /** As `ALTER TABLE … ADD COLUMN` takes it. */
  readonly definition: string;
}

/** Returns the columns of a new store's ordinary tables. */
async function columnsOf({ parts }: StoreSchema): Promise<readonly Column[]> {
  const memory = await openConnection(":memory:", { readOnly: false });
  try {
    for (const { tables } of parts) memory.exec(tables);
    return tableNames(memory).flatMap((table) => {
      const info = memory.all<{ name: string; type: string; notnull: number; dflt_value: string | null }>(
        'SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?)',
        [table],
      );
      return info.map(({ name, type, notnull, dflt_value: value }) => {
        const rest = `${notnull === 1 ? " NOT NULL" : ""}${value === null ? "" : ` DEFAULT ${value}`}`;
        return { table, name, definition: `${quoted(name)} ${type}${rest}` };
      });
    });
  } finally {
    memory.close();
  }
}

/** Adds the columns that tables of an older store lack. */
function addColumns(connection: Connection, columns: readonly Column[]): void {
  const sql = "SELECT lower(name) AS name FROM pragma_table_info(?)";
  for (const { table, name, definition } of columns) {
    const present = connection.all<{ name: string }>(sql, [table]);
    if (!present.some((one) => one.name === name))
      connection.exec(`ALTER TABLE ${quoted(table)} ADD COLUMN ${definition}`);
  }
}
