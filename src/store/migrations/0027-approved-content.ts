import type { Migration } from "./migration.ts";

/** `content_hash`: what a record of another project said when it was approved or confirmed; null: not noted, as before. */
export const approvedContentMigration: Migration = {
  version: 27,
  tables: "",
  columns: { hivemind_decisions: ["content_hash TEXT"] },
  indexes: "",
  data: "",
};
