import type { Migration } from "./migration.ts";

/** What the session of an iteration cost, for one whose verification a kill cut short. */
export const sessionCostMigration: Migration = {
  version: 12,
  tables: "",
  columns: { iterations: ["cost_usd REAL"] },
  indexes: "",
  data: "",
};
