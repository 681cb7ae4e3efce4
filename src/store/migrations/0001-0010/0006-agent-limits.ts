import type { Migration } from "../migration.ts";

/** The end of an agent's rate limit, and the models that the limit applies to. */
export const agentLimitsMigration: Migration = {
  version: 6,
  tables: "",
  columns: { interruptions: ["wait_until TEXT", "limited_model TEXT"] },
  indexes: "",
  data: "",
};
