import type { Migration } from "./migration.ts";

/**
 * `proven_at`: when a person confirmed an agent's learning; what verified successes say of it is in its counters. A person's
 * earlier decisions count. `prompt_seed`: that of the fences of an iteration's prompt.
 */
export const unprovenMigration: Migration = {
  version: 26,
  tables: "",
  columns: { learnings: ["proven_at TEXT"], iterations: ["prompt_seed TEXT"] },
  indexes: "",
  data: `
UPDATE learnings SET proven_at = (
    SELECT MAX(h.at) FROM learning_history h
    WHERE h.learning_id = learnings.id AND h.changed_by = 'person' AND h.change IN ('approved', 'edited', 'strengthened', 'validated')
) WHERE proven_at IS NULL;`,
};
