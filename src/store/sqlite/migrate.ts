import { RalphError } from "../../base/errors.ts";
import { quoted } from "../dialect.ts";
import { tasksMigration } from "../migrations/0001-0010/0001-tasks.ts";
import { memoryMigration } from "../migrations/0001-0010/0002-memory.ts";
import { retrievalMigration } from "../migrations/0001-0010/0003-retrieval.ts";
import { runControlMigration } from "../migrations/0001-0010/0004-run-control.ts";
import { evidenceMigration } from "../migrations/0001-0010/0005-evidence.ts";
import { agentLimitsMigration } from "../migrations/0001-0010/0006-agent-limits.ts";
import { sessionsMigration } from "../migrations/0001-0010/0007-sessions.ts";
import { learningsMigration } from "../migrations/0001-0010/0008-learnings.ts";
import { wordListsMigration } from "../migrations/0001-0010/0009-word-lists.ts";
import { leanIndexesMigration } from "../migrations/0001-0010/0010-lean-indexes.ts";
import { irregularFormsMigration } from "../migrations/0011-irregular-forms.ts";
import { sessionCostMigration } from "../migrations/0012-session-cost.ts";
import { notesMigration } from "../migrations/0013-notes.ts";
import { baselineMigration } from "../migrations/0014-baseline.ts";
import { learningRecordsMigration } from "../migrations/0015-learning-records.ts";
import { skillsMigration } from "../migrations/0016-skills.ts";
import { hivemindEntriesMigration } from "../migrations/0017-hivemind-entries.ts";
import { warningsMigration } from "../migrations/0018-warnings.ts";
import { memoryHealthMigration } from "../migrations/0019-memory-health.ts";
import { helpfulLearningsMigration } from "../migrations/0020-helpful-learnings.ts";
import { liveMessagesMigration } from "../migrations/0021-live-messages.ts";
import { attemptContextMigration } from "../migrations/0022-attempt-context.ts";
import { fitRecordMigration } from "../migrations/0023-fit-record.ts";
import { hivemindMigrations } from "../migrations/hivemind/hivemind-migrations.ts";
import type { Migration } from "../migrations/migration.ts";
import { beginImmediate, type Connection } from "./connection.ts";
import { corrupt } from "./file/inspect-file.ts";
import { adoptOlderTables } from "./migrations/adopt-older-tables.ts";

const migrations: readonly Migration[] = [
  tasksMigration,
  memoryMigration,
  retrievalMigration,
  runControlMigration,
  evidenceMigration,
  agentLimitsMigration,
  sessionsMigration,
  learningsMigration,
  wordListsMigration,
  leanIndexesMigration,
  irregularFormsMigration,
  sessionCostMigration,
  notesMigration,
  baselineMigration,
  learningRecordsMigration,
  skillsMigration,
  hivemindEntriesMigration,
  warningsMigration,
  memoryHealthMigration,
  helpfulLearningsMigration,
  liveMessagesMigration,
  attemptContextMigration,
  fitRecordMigration,
];

/** The schema version of projects that this program reads and writes. */
export const schemaVersion: number = lastVersion(migrations);

/** One kind of store: its migrations and what recognizes its files. */
export interface Schema {
  readonly migrations: readonly Migration[];
  /** `PRAGMA application_id`: distinguishes the schema from another tool's with the same number. */
  readonly applicationId: number;
  /** The tables of its version 1 when another tool made them without an id; empty: only ours are accepted. */
  readonly firstTables: readonly string[];
}

/** The schema of a project's store; the id is "ralp" in ASCII. */
const projectSchema: Schema = {
  migrations,
  applicationId: 0x72616c70,
  firstTables: ["tasks", "dependencies", "task_logs"],
};

/** The schema of the memory that projects share; the id is "ralh" in ASCII. */
const hivemindSchema: Schema = {
  migrations: hivemindMigrations,
  applicationId: 0x72616c68,
  firstTables: [],
};

export function schemaNamed(name: "project" | "hivemind"): Schema {
  return name === "hivemind" ? hivemindSchema : projectSchema;
}

function lastVersion(of: readonly Migration[]): number {
  return Math.max(...of.map(({ version }) => version));
}

/**
 * Migrates the schema to the current version in one transaction. Many processes may do this at once: one migrates, the
 * others find it done. Calls `backUp` before the first change when the database has rows; when it throws, nothing
 * changes.
 */
export async function migrate(
  connection: Connection,
  backUp: (fromVersion: number) => Promise<void>,
  schema: Schema = projectSchema,
): Promise<void> {
  if (isCurrent(connection, schema)) return;
  await beginImmediate(connection);
  try {
    const from = schemaOf(connection, schema);
    const version = lastVersion(schema.migrations);
    if (from < version) {
      if (hasRows(connection)) await backUp(from);
      for (const migration of schema.migrations)
        if (migration.version > from) apply(connection, migration, schema);
      connection.exec(`PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${version}`);
    }
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

/** Returns true when there is nothing to migrate. Throws when the file is newer than this program or not a store. */
export function isCurrent(connection: Connection, schema: Schema = projectSchema): boolean {
  return schemaOf(connection, schema) === lastVersion(schema.migrations);
}

function newerSchema(path: string, version: number, last: number): RalphError {
  return new RalphError(
    "RALPH_STORE_NEWER",
    `the store ${path} has schema ${version}: this version of ralph reads schemas up to ${last}`,
    { hint: "update ralph: npm install -g ralph-remembers@latest" },
  );
}

/** Returns the schema version: 0 for an empty file; for another tool's tables, the version they can be migrated from. */
function schemaOf(connection: Connection, { migrations: known, applicationId, firstTables }: Schema): number {
  const version = pragma(connection, "user_version");
  const last = lastVersion(known);
  const isOurs = pragma(connection, "application_id") === applicationId;
  if (version > last && (isOurs || firstTables.length > 0)) throw newerSchema(connection.path, version, last);
  if (version > 0 && isOurs) return version;
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

function tableNames(connection: Connection): readonly string[] {
  const rows = connection.all<{ name: string }>(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  );
  return rows.map(({ name }) => name);
}

function hasRows(connection: Connection): boolean {
  return tableNames(connection).some(
    (table) => connection.get(`SELECT 1 FROM ${quoted(table)} LIMIT 1`) !== undefined,
  );
}

function apply(connection: Connection, migration: Migration, { firstTables }: Schema): void {
  if (migration.version === 2 && firstTables.length > 0) adoptOlderTables(connection);
  connection.exec(migration.tables);
  for (const [table, columns] of Object.entries(migration.columns)) addColumns(connection, table, columns);
  connection.exec(migration.indexes);
  connection.exec(migration.data);
}

function addColumns(connection: Connection, table: string, columns: readonly string[]): void {
  const info = connection.all<{ name: string }>("SELECT lower(name) AS name FROM pragma_table_info(?)", [
    table,
  ]);
  const present = new Set(info.map(({ name }) => name));
  if (present.size === 0) throw corrupt(connection.path, `lacks the table ${table}`);
  for (const column of columns) {
    const [name = ""] = column.split(" ");
    if (!present.has(name)) connection.exec(`ALTER TABLE ${quoted(table)} ADD COLUMN ${column}`);
  }
}
