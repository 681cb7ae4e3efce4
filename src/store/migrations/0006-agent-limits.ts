import type { Migration } from "./migration.ts";

/** Until when an interrupted agent is left alone, and whether that holds for some of its models only. */
export const agentLimitsMigration: Migration = {
  version: 6,
  tables: "",
  columns: { interruptions: ["wait_until TEXT", "limited_model TEXT"] },
  indexes: "",
  data: "",
};
