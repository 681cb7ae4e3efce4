import type { Migration } from "./migration.ts";

/** `seal`: the code that proves who recorded the event; null: recorded by an earlier version or without the project's key. */
export const sealedEventsMigration: Migration = {
  version: 24,
  tables: "",
  columns: { outbox: ["seal TEXT"] },
  indexes: "",
  data: "",
};
