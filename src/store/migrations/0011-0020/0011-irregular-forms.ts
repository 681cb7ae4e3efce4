import type { Migration } from "../migration.ts";

/**
 * Empties the search index, which has stems without irregular forms (`search/text/irregular-forms.ts`). The next run
 * rebuilds it from the rows of the memory kinds when it starts.
 */
export const irregularFormsMigration: Migration = {
  version: 11,
  tables: "",
  columns: {},
  indexes: "",
  data: `
DELETE FROM retrieval_documents;
DELETE FROM retrieval_shelves;
DELETE FROM retrieval_lists;
DELETE FROM retrieval_blocks;`,
};
