import type { Migration } from "../migration.ts";

/** The few learnings that helped twice, which each outcome looks for: without reading all the others. */
export const helpfulLearningsMigration: Migration = {
  version: 20,
  tables: "",
  columns: {},
  indexes: `
CREATE INDEX IF NOT EXISTS learnings_helpful ON learnings (status, created_at, id) WHERE said_helpful >= 2;`,
  data: "",
};
