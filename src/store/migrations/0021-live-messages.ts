import type { Migration } from "./migration.ts";

/** Messages for the agent that works now (`ralph message --now`): what came of the request, the agent, and why it waits. */
export const liveMessagesMigration: Migration = {
  version: 21,
  tables: "",
  columns: { messages: ["now_state TEXT", "now_agent TEXT", "now_reason TEXT"] },
  indexes: "",
  data: "",
};
