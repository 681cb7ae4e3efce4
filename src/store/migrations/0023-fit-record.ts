import type { Migration } from "./migration.ts";

/**
 * `silenced`: 1 for an iteration that recall would have shown nothing; its hold-out compares silence with the best silenced
 * learning. `evidence`: what showed the learning; null: an earlier version recorded it.
 */
export const fitRecordMigration: Migration = {
  version: 23,
  tables: "",
  columns: {
    memory_trials: ["silenced INTEGER NOT NULL DEFAULT 0"],
    memory_injections: ["evidence TEXT"],
  },
  indexes: "",
  data: "",
};
