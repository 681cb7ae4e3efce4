import type { Migration } from "../migration.ts";

/** The ends of the last uses of what memory keeps outside the store: the hivemind, the context file, the journals. */
export const memoryHealthMigration: Migration = {
  version: 19,
  tables: `
CREATE TABLE IF NOT EXISTS memory_health (
    kind TEXT PRIMARY KEY,
    succeeded_at TEXT,
    failed_at TEXT,
    error TEXT,
    skipped_until TEXT
);`,
  columns: {},
  indexes: "",
  data: "",
};
