import type { Migration } from "../migration.ts";

/** Facts that an agent reports about its session, stored with the attempt. */
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
