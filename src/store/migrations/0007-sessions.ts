import type { Migration } from "./migration.ts";

/** What an agent tells of its session: kept with the attempt that it was. */
export const sessionsMigration: Migration = {
  version: 7,
  tables: "",
  columns: {
    iteration_outcomes: [
      "tokens_cache_read INTEGER",
      "tokens_cache_write INTEGER",
      "cost_source TEXT",
      "agent_model TEXT",
      "session_id TEXT",
      "stop_reason TEXT",
      "error_kind TEXT",
      "permission_denials TEXT",
    ],
  },
  indexes: "",
  data: "",
};
