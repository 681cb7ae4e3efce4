import type { Migration } from "../migration.ts";

/**
 * Partial indexes for columns that few rows set. The full indexes took 68 of the 995 bytes of a learning, and each new
 * learning wrote them for nothing.
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
