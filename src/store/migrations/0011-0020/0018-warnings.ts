import type { Migration } from "../migration.ts";

/** The warnings of an attempt, as a JSON array of strings; null: there were none, or an earlier version recorded it. */
export const warningsMigration: Migration = {
  version: 18,
  tables: "",
  columns: { iteration_outcomes: ["warnings TEXT"] },
  indexes: "",
  data: "",
};
