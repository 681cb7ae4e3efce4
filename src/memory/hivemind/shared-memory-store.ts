import { parseStrings } from "../../base/json.ts";
import type { DocumentSource, SearchDocument } from "../../search/document.ts";
import { addDocuments, removeDocuments } from "../../search/index-documents.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import type { SharedMemory, StoredMemory } from "./shared-memory.ts";

// The tables of the hivemind's own file. It has no events.

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

/** Sets the time of a record to now, because it is still true. Returns false if it does not exist. */
export async function refreshShared(tx: Tx, id: string, now: Date): Promise<boolean> {
  const changed = await tx.run("UPDATE hivemind_memories SET updated_at = ? WHERE id = ?", [
    ...[now.toISOString(), id],
  ]);
  return changed > 0;
}

/** Deletes records. Returns the number of those that were there. */
export async function deleteShared(tx: Tx, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { sql, params } = tx.dialect.inList("id", ids);
  const deleted = await tx.run(`DELETE FROM hivemind_memories WHERE ${sql}`, params);
  await removeDocuments(tx, sharedSource.kind, ids);
  return deleted;
}

type SharedRow = Omit<StoredMemory, "tags"> & { readonly tags: string };

/** Far more than ralph stores: an agent may write the file, and each prompt of each project would wait for its texts. */
const maxChars = 20_000;
const cut = (column: string, name = column): string => `substr(${column}, 1, ${maxChars}) AS "${name}"`;

const select = `SELECT id, type, ${cut("title")}, ${cut("content")}, ${cut("tags")}, project,
  ${cut("project_name", "projectName")}, signature, created_at AS "createdAt", updated_at AS "updatedAt" FROM hivemind_memories`;

function fromRow(row: SharedRow): StoredMemory {
  return { ...row, tags: parseStrings(row.tags) };
}

/** Returns the records of `ids` that exist, in the order of `ids`. */
export async function getShared(q: Reader, ids: readonly string[]): Promise<readonly StoredMemory[]> {
  const { sql, params } = q.dialect.inList("id", ids);
  const rows = await q.all<SharedRow>(`${select} WHERE ${sql}`, params);
  const found = new Map(rows.map((row) => [row.id, fromRow(row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Records of the hivemind to list: with all of these tags, in lower case. */
export interface SharedFilter {
  readonly tags: readonly string[];
  readonly limit: number;
}

/** Returns the newest records with all of some tags. */
export async function listShared(q: Reader, { tags, limit }: SharedFilter): Promise<readonly StoredMemory[]> {
  const { where, params } = tagged(tags);
  const rows = await q.all<SharedRow>(`${select}${where} ORDER BY created_at DESC, id LIMIT ?`, [
    ...params,
    limit,
  ]);
  return rows.map(fromRow);
}

function tagged(tags: readonly string[]): { readonly where: string; readonly params: readonly string[] } {
  const parts = tags.map(() => "LOWER(tags) LIKE ? ESCAPE '!'");
  return {
    where: parts.length === 0 ? "" : ` WHERE ${parts.join(" AND ")}`,
    params: tags.map((tag) => `%${JSON.stringify(tag).replace(/[!%_]/g, "!$&")}%`),
  };
}

/** Returns the ids of all projects with records. */
export async function sharedProjects(q: Reader): Promise<readonly string[]> {
  const rows = await q.all<{ project: string }>("SELECT DISTINCT project FROM hivemind_memories");
  return rows.map(({ project }) => project);
}

export interface SharedCounts {
  readonly records: number;
  /** Null: the store does not know. */
  readonly projects: number | null;
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
