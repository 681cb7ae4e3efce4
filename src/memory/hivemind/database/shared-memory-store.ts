import { parseStrings } from "../../../base/json.ts";
import type { DocumentSource, SearchDocument } from "../../../search/document.ts";
import { addDocuments, removeDocuments } from "../../../search/index-documents.ts";
import type { Reader, Tx } from "../../../store/db.ts";
import type { SharedMemory, SharedType } from "./shared-memory.ts";

// The tables of the hivemind's own file. It has no event log: each project's log rebuilds that project's data only.

/** Writes records, with their words. A record with a known id replaces it, so that a repeated delivery changes nothing. */
export async function putShared(tx: Tx, memories: readonly SharedMemory[]): Promise<void> {
  for (const memory of memories) {
    await tx.run(
      `INSERT INTO hivemind_memories (id, type, title, content, tags, project, project_name, signature, created_at,
         updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET content = excluded.content, tags = excluded.tags,
         updated_at = excluded.updated_at`,
      [
        ...[memory.id, memory.type, memory.title, memory.content, JSON.stringify(memory.tags)],
        ...[memory.project, memory.projectName, memory.signature, memory.createdAt, memory.createdAt],
      ],
    );
  }
  await addDocuments(tx, memories.map(toDocument));
}

/** Deletes records. Returns the number of those that were there. */
export async function deleteShared(tx: Tx, ids: readonly string[]): Promise<number> {
  const { sql, params } = tx.dialect.inList("id", ids);
  const deleted = await tx.run(`DELETE FROM hivemind_memories WHERE ${sql}`, params);
  await removeDocuments(tx, sharedSource.kind, ids);
  return deleted;
}

type SharedRow = Omit<SharedMemory, "tags" | "type"> & { readonly tags: string; readonly type: SharedType };

const select = `SELECT id, type, title, content, tags, project, project_name AS "projectName", signature,
  created_at AS "createdAt" FROM hivemind_memories`;

function fromRow(row: SharedRow): SharedMemory {
  return { ...row, tags: parseStrings(row.tags) };
}

/** Returns the records of `ids` that exist, in the order of `ids`. */
export async function getShared(q: Reader, ids: readonly string[]): Promise<readonly SharedMemory[]> {
  const { sql, params } = q.dialect.inList("id", ids);
  const rows = await q.all<SharedRow>(`${select} WHERE ${sql}`, params);
  const found = new Map(rows.map((row) => [row.id, fromRow(row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Returns the ids of all projects with records. */
export async function sharedProjects(q: Reader): Promise<readonly string[]> {
  const rows = await q.all<{ project: string }>("SELECT DISTINCT project FROM hivemind_memories");
  return rows.map(({ project }) => project);
}

export interface SharedCounts {
  readonly records: number;
  readonly projects: number;
}

export async function countShared(q: Reader): Promise<SharedCounts> {
  const row = await q.get<SharedCounts>(
    "SELECT COUNT(*) AS records, COUNT(DISTINCT project) AS projects FROM hivemind_memories",
  );
  return { records: Number(row?.records ?? 0), projects: Number(row?.projects ?? 0) };
}

function toDocument(memory: SharedMemory): SearchDocument {
  return {
    kind: sharedSource.kind,
    id: memory.id,
    scope: memory.project,
    title: memory.title,
    body: memory.content,
    tags: memory.tags,
    files: [],
    errorSignature: memory.signature,
    taskId: null,
    createdAt: memory.createdAt,
  };
}

const batch = 200;

/** The records as documents of the hivemind's own search index. */
export const sharedSource: DocumentSource = {
  kind: "shared memory",
  read: async (q, ids) => (await getShared(q, ids)).map(toDocument),
  count: async (q) => (await countShared(q)).records,
  readAll: async function* (q) {
    for (let after = ""; ; ) {
      const rows = await q.all<SharedRow>(`${select} WHERE id > ? ORDER BY id LIMIT ?`, [after, batch]);
      if (rows.length === 0) return;
      yield rows.map((row) => toDocument(fromRow(row)));
      after = rows.at(-1)?.id ?? "";
    }
  },
};
