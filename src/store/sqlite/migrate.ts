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
import { irregularFormsMigration } from "../migrations/0011-0020/0011-irregular-forms.ts";
import { sessionCostMigration } from "../migrations/0011-0020/0012-session-cost.ts";
import { notesMigration } from "../migrations/0011-0020/0013-notes.ts";
import { baselineMigration } from "../migrations/0011-0020/0014-baseline.ts";
import { learningRecordsMigration } from "../migrations/0011-0020/0015-learning-records.ts";
import { skillsMigration } from "../migrations/0011-0020/0016-skills.ts";
import { hivemindEntriesMigration } from "../migrations/0011-0020/0017-hivemind-entries.ts";
import { warningsMigration } from "../migrations/0011-0020/0018-warnings.ts";
import { memoryHealthMigration } from "../migrations/0011-0020/0019-memory-health.ts";
import { helpfulLearningsMigration } from "../migrations/0011-0020/0020-helpful-learnings.ts";
import { liveMessagesMigration } from "../migrations/0021-live-messages.ts";
import { attemptContextMigration } from "../migrations/0022-attempt-context.ts";
import { fitRecordMigration } from "../migrations/0023-fit-record.ts";
import { sealedEventsMigration } from "../migrations/0024-sealed-events.ts";
import { textVectorsMigration } from "../migrations/0025-text-vectors.ts";
import { unprovenMigration } from "../migrations/0026-unproven.ts";
import { approvedContentMigration } from "../migrations/0027-approved-content.ts";
import { hivemindMigrations } from "../migrations/hivemind/hivemind-migrations.ts";
import type { Migration } from "../migrations/migration.ts";
import { beginImmediate, type Connection } from "./connection.ts";
import { corrupt } from "./file/inspect-file.ts";
import { adoptOlderTables } from "./migrations/adopt-older-tables.ts";
import { withLaterColumns } from "./new-tables.ts";
import { type Schema, type SchemaName, schemaOf, tableNames } from "./schema-version.ts";

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
  sealedEventsMigration,
  textVectorsMigration,
  unprovenMigration,
  approvedContentMigration,
];

const migrationsOf: Readonly<Record<SchemaName, readonly Migration[]>> = {
  project: migrations,
  hivemind: hivemindMigrations,
};

/**
 * Migrates the schema to the current version in one transaction. Many processes may do this at once: one migrates, the
 * others find it done. Calls `backUp` before the first change when the database has rows; when it throws, nothing
 * changes.
 */
export async function migrate(
  connection: Connection,
  backUp: (fromVersion: number) => Promise<void>,
  schema: Schema,
): Promise<void> {
  const { version } = schema;
  const known = migrationsOf[schema.name];
  if (known.at(-1)?.version !== version)
    throw new Error(`schema-version.ts states version ${version}, which is not that of the last migration`);
  await beginImmediate(connection);
  try {
    const from = schemaOf(connection, schema);
    if (from < version) {
      if (hasRows(connection)) await backUp(from);
      const steps = tableNames(connection).length === 0 ? withLaterColumns(known) : known;
      for (const migration of steps) if (migration.version > from) apply(connection, migration, schema);
      connection.exec(`PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${version}`);
    }
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
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
