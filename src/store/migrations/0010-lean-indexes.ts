import type { Migration } from "./migration.ts";

/**
 * Indexes of what few rows have hold only these rows: at each learning they were written for nothing, and together
 * took 68 of the 995 bytes that one needs.
 */
export const leanIndexesMigration: Migration = {
  version: 10,
  tables: "",
  columns: {},
  indexes: `
DROP INDEX IF EXISTS idx_learnings_pruned_at;
DROP INDEX IF EXISTS idx_learnings_superseded_by;
DROP INDEX IF EXISTS idx_learning_history_change;
CREATE INDEX idx_learnings_pruned_at ON learnings(pruned_at) WHERE pruned_at IS NOT NULL;
CREATE INDEX idx_learnings_superseded_by ON learnings(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX idx_learning_history_change ON learning_history(change, at) WHERE change = 'merged';`,
  data: "",
};
