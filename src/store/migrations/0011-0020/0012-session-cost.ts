import type { Migration } from "../migration.ts";

/** The cost of an iteration's session, stored before verification so that a kill during it does not lose the cost. */
export const sessionCostMigration: Migration = {
  version: 12,
  tables: "",
  columns: { iterations: ["cost_usd REAL"] },
  indexes: "",
  data: "",
};
