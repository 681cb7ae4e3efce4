import type { Reader, SqlValue, Tx } from "../store/db.ts";

/** Documents of one kind and one scope, numbered in the order in which they came. No number is given twice. */
export interface Partition {
  readonly id: number;
  readonly kind: string;
  readonly scope: string;
  readonly documents: number;
  /** In all titles and bodies. */
  readonly words: number;
  /** How many numbers were given; more than `documents` where some were removed. */
  readonly given: number;
}

/** A document's number in the table: its shelf's place, and its number within the shelf. */
const partitionSize = 2 ** 32;
const columns = "id, kind, scope, documents, words, given";

export async function partitionsOf(q: Reader): Promise<readonly Partition[]> {
  return q.all<Partition>(`SELECT ${columns} FROM retrieval_shelves ORDER BY id`);
}

export async function partitionFor(tx: Tx, kind: string, scope: string): Promise<Partition> {
  const find = `SELECT ${columns} FROM retrieval_shelves WHERE kind = ? AND scope = ?`;
  const there = await tx.get<Partition>(find, [kind, scope]);
  if (there) return there;
  await tx.run("INSERT INTO retrieval_shelves (kind, scope) VALUES (?, ?)", [kind, scope]);
  const made = await tx.get<Partition>(find, [kind, scope]);
  if (!made) throw new Error(`no shelf for ${kind}`);
  return made;
}

/** What the index knows of a document beside its words. */
export interface IndexEntry {
  readonly shelf: number;
  /** Within the shelf. */
  readonly number: number;
  readonly id: string;
  /** In its title and body. */
  readonly words: number;
  /** Of all its words: the same document has the same. */
  readonly print: number;
}

/** Shelves and documents in the order of `entries`, all of one shelf, numbered as `given` goes on. */
export async function putEntries(
  tx: Tx,
  shelf: Partition,
  entries: readonly Omit<IndexEntry, "shelf" | "number">[],
): Promise<void> {
  let words = 0;
  for (const [at, entry] of entries.entries()) {
    await tx.run("INSERT INTO retrieval_documents (number, id, words, print) VALUES (?, ?, ?, ?)", [
      shelf.id * partitionSize + shelf.given + at,
      entry.id,
      entry.words,
      entry.print,
    ]);
    words += entry.words;
  }
  await tx.run(
    "UPDATE retrieval_shelves SET documents = documents + ?, words = words + ?, given = given + ? WHERE id = ?",
    [entries.length, words, entries.length, shelf.id],
  );
}

export async function entryOf(q: Reader, kind: string, id: string): Promise<IndexEntry | undefined> {
  const rows = await q.all<IndexEntry & { kind: SqlValue }>(
    `SELECT s.id AS "shelf", d.number % ${partitionSize} AS "number", d.id, d.words, d.print, s.kind AS "kind"
     FROM retrieval_documents AS d JOIN retrieval_shelves AS s ON s.id = d.number / ${partitionSize} WHERE d.id = ?`,
    [id],
  );
  return rows.find((row) => row.kind === kind);
}

/** Takes a document out. Lists of words keep its number, under which nothing is found any more. */
export async function removeEntry(tx: Tx, { shelf, number, words }: IndexEntry): Promise<void> {
  await tx.run("DELETE FROM retrieval_documents WHERE number = ?", [shelf * partitionSize + number]);
  await tx.run("UPDATE retrieval_shelves SET documents = documents - 1, words = words - ? WHERE id = ?", [
    words,
    shelf,
  ]);
}

export async function clearEntries(tx: Tx): Promise<void> {
  await tx.run("DELETE FROM retrieval_documents");
  await tx.run("DELETE FROM retrieval_shelves");
}

/** How many words each of the shelf's documents has; those that are gone are left out. */
export async function lengthsOf(
  q: Reader,
  { id }: Partition,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  // All in one text: a row for each would take twice as long.
  const row = await q.get<{ pairs: string | null }>(
    `SELECT group_concat('[' || wanted.value || ',' || d.words || ']') AS pairs FROM json_each(?) AS wanted
     JOIN retrieval_documents AS d ON d.number = ? + wanted.value`,
    [JSON.stringify(numbers), id * partitionSize],
  );
  return new Map(JSON.parse(`[${row?.pairs ?? ""}]`) as [number, number][]);
}

/** The ids of those of the shelf's documents that are still there, in no order. */
export async function idsOf(
  q: Reader,
  shelf: Partition,
  numbers: readonly number[],
): Promise<readonly string[]> {
  const rows = await q.all<{ id: string }>(
    "SELECT d.id FROM json_each(?) AS wanted JOIN retrieval_documents AS d ON d.number = ? + wanted.value",
    [JSON.stringify(numbers), shelf.id * partitionSize],
  );
  return rows.map(({ id }) => id);
}

/** The ids of the documents that came last to the shelf, the last first. */
export async function newest(q: Reader, { id }: Partition, limit: number): Promise<readonly string[]> {
  const rows = await q.all<{ id: string }>(
    `SELECT id FROM retrieval_documents WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT ?`,
    [id * partitionSize, (id + 1) * partitionSize - 1, limit],
  );
  return rows.map((row) => row.id);
}

/** How many documents there are, counted one by one. */
export async function countDocuments(q: Reader): Promise<number> {
  const row = await q.get<{ n: number }>("SELECT COUNT(*) AS n FROM retrieval_documents");
  return Number(row?.n ?? 0);
}

/** Those of the ids that the index has. */
export async function present(q: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await q.all<{ id: string }>(
    "SELECT d.id FROM json_each(?) AS wanted JOIN retrieval_documents AS d ON d.id = wanted.value",
    [JSON.stringify(ids)],
  );
  return new Set(rows.map(({ id }) => id));
}
