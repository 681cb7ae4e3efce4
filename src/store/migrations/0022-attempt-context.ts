import type { Migration } from "./migration.ts";

/** How full an agent's context was at the end of its session, and how often it was summarized. */
export const attemptContextMigration: Migration = {
  version: 22,
  tables: "",
  columns: {
    iteration_outcomes: ["context_used INTEGER", "context_size INTEGER", "compactions INTEGER"],
  },
  indexes: "",
  data: "",
};
