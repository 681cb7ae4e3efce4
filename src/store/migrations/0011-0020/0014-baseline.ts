import type { Migration } from "../migration.ts";

/** The baseline (LOOP-20): which trees passed which commands, and the tasks that may begin while verification fails. */
export const baselineMigration: Migration = {
  version: 14,
  tables: `
CREATE TABLE IF NOT EXISTS passed_trees (
    tree TEXT NOT NULL,
    commands TEXT NOT NULL,
    passed_at TEXT NOT NULL,
    PRIMARY KEY (tree, commands)
);`,
  columns: { tasks: ["allow_red INTEGER NOT NULL DEFAULT 0"] },
  indexes: "",
  data: "",
};
