import type { Migration } from "../migration.ts";

/**
 * The search index. It is derived: `search/rebuild-index.ts` rebuilds it from the rows of the memory kinds, so none of
 * it is in the event log. It stores words and numbers, no texts.
 *
 * `retrieval_index` receives words that are already split and stemmed, hence the `ascii` tokenizer, for which every
 * non-ASCII character is part of a word. `retrieval_words` and `retrieval_pieces` find words by a part of them.
 */
export const retrievalMigration: Migration = {
  version: 3,
  tables: `
CREATE TABLE IF NOT EXISTS retrieval_shelves (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    documents INTEGER NOT NULL DEFAULT 0,
    words INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, scope)
);
CREATE TABLE IF NOT EXISTS retrieval_documents (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    words INTEGER NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS retrieval_index USING fts5(
    title, body, parts, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE IF NOT EXISTS retrieval_counts USING fts5vocab('retrieval_index', 'row');
CREATE TABLE IF NOT EXISTS retrieval_words (
    id INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
);
CREATE VIRTUAL TABLE IF NOT EXISTS retrieval_pieces USING fts5(
    word, content = '', detail = none, columnsize = 0, tokenize = 'trigram'
);`,
  columns: {},
  indexes: "CREATE INDEX IF NOT EXISTS idx_retrieval_documents_id ON retrieval_documents(id);",
  data: "",
};
