import type { SchemaPart } from "./schema-part.ts";

/**
 * The search index. It is derived: `search/rebuild-index.ts` rebuilds it from the rows of the memory kinds. It stores words
 * and numbers, no texts.
 *
 * `retrieval_lists` has posting lists: one row holds which documents of a partition contain a word, and how many. It has the last
 * documents, `retrieval_blocks` the earlier ones; see `search/posting-store.ts`.
 */
export const searchSchema: SchemaPart = {
  tables: `
CREATE TABLE IF NOT EXISTS retrieval_shelves (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    documents INTEGER NOT NULL DEFAULT 0,
    words INTEGER NOT NULL DEFAULT 0,
    given INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, scope)
);
CREATE TABLE IF NOT EXISTS retrieval_documents (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    words INTEGER NOT NULL,
    print INTEGER NOT NULL DEFAULT 0
);
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
  indexes: `
CREATE INDEX IF NOT EXISTS idx_retrieval_documents_id ON retrieval_documents(id);`,
};
