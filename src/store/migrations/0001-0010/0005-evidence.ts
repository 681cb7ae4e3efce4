import type { Migration } from "../migration.ts";

/** Evidence that distinguishes progress from repetition: the tree that a failed attempt left, and a refused split. */
export const evidenceMigration: Migration = {
  version: 5,
  tables: "",
  columns: { iteration_outcomes: ["tree TEXT", "split_refused TEXT"] },
  indexes: "",
  data: "",
};
