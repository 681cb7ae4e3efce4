// Apart from the migrations: opening a store that is current does not load them.
import { RalphError } from "../../base/errors.ts";
import type { Connection } from "./connection.ts";

export type SchemaName = "project" | "hivemind";

/** One kind of store: its version and what recognizes its files. */
export interface Schema {
  readonly name: SchemaName;
  readonly version: number;
  /** `PRAGMA application_id`: distinguishes the schema from another tool's with the same number. */
  readonly applicationId: number;
  /** The tables of its version 1 when another tool made them without an id; empty: only ours are accepted. */
  readonly firstTables: readonly string[];
}

const schemas: Readonly<Record<SchemaName, Schema>> = {
  /** The id is "ralp" in ASCII. */
  project: {
    name: "project",
    version: 102,
    applicationId: 0x72616c70,
    firstTables: ["tasks", "dependencies", "task_logs"],
  },
  /** The memory that projects share; the id is "ralh" in ASCII. */
  hivemind: { name: "hivemind", version: 100, applicationId: 0x72616c68, firstTables: [] },
};

/** Lower ones are of versions that were never released, but for the tables that another tool made. */
export const firstVersion = 100;

/** The schema version of projects that this program reads and writes. */
export const schemaVersion: number = schemas.project.version;

export function schemaNamed(name: SchemaName): Schema {
  return schemas[name];
}

/** Returns true when there is nothing to migrate. Throws when the file is newer than this program or not a store. */
export function isCurrent(connection: Connection, schema: Schema): boolean {
  return schemaOf(connection, schema) === schema.version;
}

function newerSchema(path: string, version: number, last: number): RalphError {
  return new RalphError(
    "RALPH_STORE_NEWER",
    `the store ${path} has schema ${version}: this version of ralph reads schemas up to ${last}`,
    { hint: "update ralph: npm install -g ralph-remembers@latest" },
  );
}

function unreleasedSchema(path: string, version: number): RalphError {
  return new RalphError(
    "RALPH_STORE_FOREIGN",
    `the store ${path} has schema ${version} of an unreleased version of ralph, which this version does not read`,
    { hint: "move it away, then run `ralph init`" },
  );
}

/** Returns the schema version: 0 for an empty file; for another tool's tables, the version they can be migrated from. */
export function schemaOf(
  connection: Connection,
  { version: last, applicationId, firstTables }: Schema,
): number {
  const version = pragma(connection, "user_version");
  const isOurs = pragma(connection, "application_id") === applicationId;
  if (version > last && (isOurs || firstTables.length > 0)) throw newerSchema(connection.path, version, last);
  if (version > 0 && isOurs) {
    if (version < firstVersion) throw unreleasedSchema(connection.path, version);
    return version;
  }
  const tables = tableNames(connection);
  if (version === 0 && tables.length === 0) return 0;
  if (firstTables.length > 0 && firstTables.every((table) => tables.includes(table))) return 1;
  const found = tables.length > 0 ? `its tables are ${tables.slice(0, 5).join(", ")}` : "it has no tables";
  throw new RalphError(
    "RALPH_STORE_FOREIGN",
    `${connection.path} is a SQLite database of another program: ${found}`,
    { hint: "set `store:` in .ralph/config.yaml to the path of another file" },
  );
}

function pragma(connection: Connection, name: string): number {
  const row = connection.get<Record<string, number>>(`PRAGMA ${name}`);
  return row?.[name] ?? 0;
}

export function tableNames(connection: Connection): readonly string[] {
  const rows = connection.all<{ name: string }>(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  );
  return rows.map(({ name }) => name);
}
