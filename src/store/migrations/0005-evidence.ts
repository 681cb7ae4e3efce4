import type { Migration } from "./migration.ts";

/** What tells progress from repetition: the state that a failed attempt left behind, and a split that was refused. */
export const evidenceMigration: Migration = {
  version: 5,
  tables: "",
  columns: { iteration_outcomes: ["tree TEXT", "split_refused TEXT"] },
  indexes: "",
  data: "",
};
