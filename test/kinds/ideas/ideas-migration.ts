import type { Migration } from "../../../src/store/migrations/migration.ts";

/** Far above the product's own versions, so that a new migration of the product does not collide with it. */
export const ideasMigration: Migration = {
  version: 1000,
  tables: `
CREATE TABLE IF NOT EXISTS ideas (
    id TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    task_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    times_shown INTEGER NOT NULL DEFAULT 0,
    archived_at TEXT
);`,
  columns: {},
  indexes: "",
  data: "",
};
