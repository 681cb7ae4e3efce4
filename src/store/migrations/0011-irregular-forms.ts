import type { Migration } from "./migration.ts";

/**
 * Words are stemmed with their irregular forms from here on (`memory/retrieval/irregular-forms.ts`), and an index of
 * before has the old stems: it is emptied, and built anew from the memory kinds' rows at the next run's start.
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
