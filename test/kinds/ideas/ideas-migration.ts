import type { SchemaPart } from "../../../src/store/migrations/schema-part.ts";

export const ideasSchema: SchemaPart = {
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
  indexes: "",
};
