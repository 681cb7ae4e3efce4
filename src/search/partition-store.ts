import type { Reader, Tx } from "../store/port/db.ts";
import { readNumber } from "../store/port/rows.ts";
import type { SearchDocument } from "./document.ts";

/** The documents of one kind and scope. Their doc ids ascend in the order of insertion and are never reused. */
export interface Partition {
  readonly id: number;
  readonly kind: string;
  readonly scope: string;
  /** Number of documents. */
  readonly documents: number;
  /** Number of words in all titles and bodies. */
  readonly words: number;
  /** Also the number of doc ids assigned so far, those of removed documents included. */
  readonly nextDocId: number;
}

/** A document's key in its table is the partition's id times this, plus its doc id. */
const partitionSize = 2 ** 32;
const columns = `id, kind, scope, documents, words, given AS "nextDocId"`;

export async function readPartitions(q: Reader): Promise<readonly Partition[]> {
  return q.all<Partition>(`SELECT ${columns} FROM retrieval_shelves ORDER BY id`);
}

export async function getOrCreatePartition(tx: Tx, kind: string, scope: string): Promise<Partition> {
  const select = `SELECT ${columns} FROM retrieval_shelves WHERE kind = ? AND scope = ?`;
  const existing = await tx.get<Partition>(select, [kind, scope]);
  if (existing) return existing;
  await tx.run("INSERT INTO retrieval_shelves (kind, scope) VALUES (?, ?)", [kind, scope]);
  const created = await tx.get<Partition>(select, [kind, scope]);
  if (!created) throw new Error(`no partition for ${kind}`);
  return created;
}

/** An indexed document, without its words. */
export interface IndexEntry {
  /** The id of its partition. */
  readonly partition: number;
  readonly kind: string;
  readonly scope: string;
  /** Unique within the partition. */
  readonly docId: number;
  readonly id: string;
  /** Number of words in title and body. */
  readonly words: number;
  /** Hash of all its words: equal for an unchanged document. */
  readonly fingerprint: number;
}

/** Inserts documents into a partition, with ascending doc ids from its `nextDocId`. */
export async function insertEntries(
  tx: Tx,
  partition: Partition,
  entries: readonly Pick<IndexEntry, "id" | "words" | "fingerprint">[],
): Promise<void> {
  let words = 0;
  for (const [at, entry] of entries.entries()) {
    await tx.run("INSERT INTO retrieval_documents (number, id, words, print) VALUES (?, ?, ?, ?)", [
      partition.id * partitionSize + partition.nextDocId + at,
      entry.id,
      entry.words,
      entry.fingerprint,
    ]);
    words += entry.words;
  }
  await tx.run(
    "UPDATE retrieval_shelves SET documents = documents + ?, words = words + ?, given = given + ? WHERE id = ?",
    [entries.length, words, entries.length, partition.id],
  );
}

/** Returns the entries of those documents that the index has, each once. */
export async function findEntries(
  q: Reader,
  documents: readonly Pick<SearchDocument, "kind" | "id">[],
): Promise<readonly IndexEntry[]> {
  const kinds = new Set(documents.map(({ kind }) => kind));
  const wanted = q.dialect.listRows("text", [...new Set(documents.map(({ id }) => id))]);
  const rows = await q.all<IndexEntry>(
    `SELECT s.id AS "partition", s.kind AS "kind", s.scope AS "scope", d.number % ${partitionSize} AS "docId", d.id,
       d.words, d.print AS "fingerprint"
     FROM ${wanted.sql} AS wanted JOIN retrieval_documents AS d ON d.id = wanted.value
     JOIN retrieval_shelves AS s ON s.id = d.number / ${partitionSize}`,
    wanted.params,
  );
  return rows.filter(({ kind }) => kinds.has(kind));
}

/** Deletes a document. Posting lists keep its doc id, which then matches nothing. */
export async function deleteEntry(tx: Tx, { partition, docId, words }: IndexEntry): Promise<void> {
  await tx.run("DELETE FROM retrieval_documents WHERE number = ?", [partition * partitionSize + docId]);
  await tx.run("UPDATE retrieval_shelves SET documents = documents - 1, words = words - ? WHERE id = ?", [
    words,
    partition,
  ]);
}

export async function clearEntries(tx: Tx): Promise<void> {
  await tx.run("DELETE FROM retrieval_documents");
  await tx.run("DELETE FROM retrieval_shelves");
}

/** A document's doc id, id and number of words. */
type EntryWords = Pick<IndexEntry, "docId" | "id" | "words">;

/** Returns those of a partition's documents with these doc ids that were not removed. */
export async function entriesAt(
  q: Reader,
  { id }: Partition,
  docIds: readonly number[],
): Promise<readonly EntryWords[]> {
  const wanted = q.dialect.listRows("integer", docIds);
  return q.all<EntryWords>(
    `SELECT wanted.value AS "docId", d.id, d.words FROM ${wanted.sql} AS wanted
     JOIN retrieval_documents AS d ON d.number = ? + wanted.value`,
    [...wanted.params, id * partitionSize],
  );
}

/** Returns the ids of the documents added last to a partition, newest first. */
export async function newestIds(q: Reader, { id }: Partition, limit: number): Promise<readonly string[]> {
  const rows = await q.all<{ id: string }>(
    `SELECT id FROM retrieval_documents WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT ?`,
    [id * partitionSize, (id + 1) * partitionSize - 1, limit],
  );
  return rows.map((row) => row.id);
}

/** Counts the rows of documents, independently of the partitions' own counts. */
export async function countEntries(q: Reader): Promise<number> {
  return readNumber(q, "SELECT COUNT(*) AS n FROM retrieval_documents");
}
