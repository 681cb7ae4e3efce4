import type { Migration } from "./migration.ts";

/**
 * The index of what can be found as lists of ours: which documents of a shelf have a word, and how many, in one row.
 * `retrieval_lists` has the last of them, `retrieval_blocks` those before, see `memory/retrieval/list-store.ts`. A
 * search in the full-text table of before took several times as long, most of it to rank what another ranking follows.
 * What was indexed is built anew from the memory kinds' rows at the next run's start.
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
