import type { Migration } from "./migration.ts";

/**
 * The vectors of texts by an embeddings model, little-endian 32-bit floats; `text_hash` is the SHA-256 of the text. Derived
 * data, not in the event log: the endpoint is asked again for one that is missing.
 */
export const textVectorsMigration: Migration = {
  version: 25,
  tables: `
CREATE TABLE IF NOT EXISTS text_vectors (
    text_hash TEXT NOT NULL,
    model TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (text_hash, model)
);`,
  columns: {},
  indexes: "",
  data: "",
};
