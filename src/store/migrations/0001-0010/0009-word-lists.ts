import type { Migration } from "../migration.ts";

/**
 * The search index as posting lists: one row holds which documents of a partition contain a word, and how many.
 * `retrieval_lists` has the last documents, `retrieval_blocks` the earlier ones; see `search/index/posting-store.ts`. A
 * search in the former full-text table took several times as long, mostly for a ranking that ours replaces. The next run
 * rebuilds the index from the rows of the memory kinds when it starts.
 */
export const wordListsMigration: Migration = {
  version: 9,
  tables: `
DROP TABLE IF EXISTS retrieval_counts;
DROP TABLE IF EXISTS retrieval_index;
CREATE TABLE IF NOT EXISTS retrieval_lists (
    word TEXT NOT NULL,
    shelf INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    numbers TEXT NOT NULL,
    PRIMARY KEY (word, shelf)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS retrieval_blocks (
    word TEXT NOT NULL,
    shelf INTEGER NOT NULL,
    block INTEGER NOT NULL,
    numbers TEXT NOT NULL,
    PRIMARY KEY (word, shelf, block)
) WITHOUT ROWID;`,
  columns: {
    retrieval_shelves: ["given INTEGER NOT NULL DEFAULT 0"],
    retrieval_documents: ["print INTEGER NOT NULL DEFAULT 0"],
  },
  indexes: "",
  data: `
DELETE FROM retrieval_documents;
DELETE FROM retrieval_shelves;
DELETE FROM retrieval_words;
INSERT INTO retrieval_pieces (retrieval_pieces) VALUES ('delete-all');`,
};
