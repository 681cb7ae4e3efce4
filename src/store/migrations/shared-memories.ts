import type { SchemaPart } from "./schema-part.ts";

/** The memory that projects share: its records. Its search index is that of a project's store. */
export const sharedMemoriesSchema: SchemaPart = {
  tables: `
CREATE TABLE IF NOT EXISTS hivemind_memories (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    tags TEXT NOT NULL DEFAULT '[]',
    project TEXT NOT NULL,
    project_name TEXT NOT NULL,
    signature TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);`,
  indexes: `
CREATE INDEX IF NOT EXISTS idx_hivemind_memories_project ON hivemind_memories(project);
CREATE INDEX IF NOT EXISTS idx_hivemind_memories_created ON hivemind_memories(created_at);`,
};
