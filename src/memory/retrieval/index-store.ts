import type { Reader, SqlValue, Tx } from "../../store/db.ts";

/** One document's words, by the index's columns. */
export interface IndexedWords {
  readonly title: readonly string[];
  readonly body: readonly string[];
  /** Parts of identifiers, tags, files, and the tokens of its error and its task. */
  readonly parts: readonly string[];
}

/** Documents of one kind and one scope. Their numbers follow each other, so that a search can keep to them. */
export interface Shelf {
  readonly id: number;
  readonly kind: string;
  readonly scope: string;
  readonly documents: number;
  /** In all titles and bodies. */
  readonly words: number;
}

const shelfSize = 2 ** 32;

const firstOf = ({ id }: Shelf): number => id * shelfSize;
const lastOf = ({ id }: Shelf): number => (id + 1) * shelfSize - 1;

export async function shelvesOf(q: Reader): Promise<readonly Shelf[]> {
  return q.all<Shelf>("SELECT id, kind, scope, documents, words FROM retrieval_shelves ORDER BY id");
}

interface Place {
  readonly kind: string;
  readonly id: string;
  readonly scope: string;
}

/** Takes a document in, in place of what the index had under its kind and id. */
export async function putWords(tx: Tx, { kind, id, scope }: Place, words: IndexedWords): Promise<void> {
  const before = await numberOf(tx, kind, id);
  const shelf = await shelfFor(tx, kind, scope);
  const stays = before !== undefined && shelfIdOf(before) === shelf.id;
  if (before !== undefined) await removeNumber(tx, before);
  const number = stays ? before : await nextNumber(tx, shelf);
  const length = words.title.length + words.body.length;
  await tx.run("INSERT INTO retrieval_documents (number, id, words) VALUES (?, ?, ?)", [number, id, length]);
  await tx.run("INSERT INTO retrieval_index (rowid, title, body, parts) VALUES (?, ?, ?, ?)", [
    number,
    words.title.join(" "),
    words.body.join(" "),
    words.parts.join(" "),
  ]);
  await count(tx, shelf.id, { documents: 1, words: length });
  await rememberWords(tx, new Set([...words.title, ...words.body, ...words.parts]));
}

/** Takes a document out; nothing happens where it is not in the index. */
export async function removeWords(tx: Tx, kind: string, id: string): Promise<void> {
  const number = await numberOf(tx, kind, id);
  if (number !== undefined) await removeNumber(tx, number);
}

/** Empties the index, words of removed documents included. */
export async function clearIndex(tx: Tx): Promise<void> {
  await tx.run("INSERT INTO retrieval_index (retrieval_index) VALUES ('delete-all')");
  await tx.run("INSERT INTO retrieval_pieces (retrieval_pieces) VALUES ('delete-all')");
  for (const table of ["retrieval_documents", "retrieval_words", "retrieval_shelves"]) {
    await tx.run(`DELETE FROM ${table}`);
  }
}

export interface Found {
  readonly number: number;
  readonly id: string;
}

export interface Match extends Found {
  /** Words in its title and body. */
  readonly words: number;
  /** What those of the asked words that it has are worth together. */
  readonly worth: number;
}

interface Search {
  /** Words as the index has them, and what having one is worth; any of them makes a match. */
  readonly words: ReadonlyMap<string, number>;
  readonly limit: number;
}

/** The shelf's documents with any of the words: those with the most worth, the newer before the older. */
export async function matches(q: Reader, shelf: Shelf, { words, limit }: Search): Promise<readonly Match[]> {
  const worths = new Map<number, number>();
  for (const [word, worth] of words) {
    for (const number of await numbersWith(q, shelf, word)) {
      worths.set(number, (worths.get(number) ?? 0) + worth);
    }
  }
  const least = Float64Array.from(worths.values()).sort().at(-limit) ?? 0;
  const best = [...worths].filter(([, worth]) => worth >= least);
  best.sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  const rows = await q.all<Omit<Match, "worth">>(
    `SELECT d.number, d.id, d.words FROM json_each(?) AS wanted
     JOIN retrieval_documents AS d ON d.number = wanted.value ORDER BY wanted.key`,
    [JSON.stringify(best.slice(0, limit).map(([number]) => number))],
  );
  return rows.map((row) => ({ ...row, worth: worths.get(row.number) ?? 0 }));
}

/** All in one text: a row for each would take several times as long. */
async function numbersWith(q: Reader, shelf: Shelf, word: string): Promise<readonly number[]> {
  const first = firstOf(shelf);
  const row = await q.get<{ numbers: string | null }>(
    `SELECT group_concat(rowid - ?) AS numbers FROM retrieval_index
     WHERE retrieval_index MATCH ? AND rowid BETWEEN ? AND ?`,
    [first, `"${word}"`, first, lastOf(shelf)],
  );
  return row?.numbers ? row.numbers.split(",").map((number) => first + Number(number)) : [];
}

/** The documents that came last to the shelf, the last first. */
export async function newest(q: Reader, shelf: Shelf, limit: number): Promise<readonly Found[]> {
  return q.all<Found>(
    `SELECT number, id FROM retrieval_documents WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT ?`,
    [firstOf(shelf), lastOf(shelf), limit],
  );
}

/** In how many documents of the whole index each word stands; words that stand in none are left out. */
export async function countsOf(q: Reader, words: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const word of words) {
    const row = await q.get<{ doc: number }>("SELECT doc FROM retrieval_counts WHERE term = ?", [word]);
    if (row) counts.set(word, Number(row.doc));
  }
  return counts;
}

/** Words of the index that contain `piece`, of at least three characters; the shortest first. */
export async function wordsWith(q: Reader, piece: string, limit: number): Promise<readonly string[]> {
  const characters = [...piece];
  const trigrams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
  if (trigrams.length === 0) return [];
  const rows = await q.all<{ word: string }>(
    `SELECT w.word AS "word" FROM retrieval_pieces AS p JOIN retrieval_words AS w ON w.id = p.rowid
     WHERE retrieval_pieces MATCH ? AND instr(w.word, ?) > 0 ORDER BY length(w.word), w.word LIMIT ?`,
    [[...new Set(trigrams)].map((trigram) => `"${trigram}"`).join(" AND "), piece, limit],
  );
  return rows.map(({ word }) => word);
}

async function rememberWords(tx: Tx, words: ReadonlySet<string>): Promise<void> {
  for (const word of words) {
    if ([...word].length < 4) continue;
    const row = await tx.get<{ id: number }>(
      "INSERT INTO retrieval_words (word) VALUES (?) ON CONFLICT DO NOTHING RETURNING id",
      [word],
    );
    if (row) await tx.run("INSERT INTO retrieval_pieces (rowid, word) VALUES (?, ?)", [row.id, word]);
  }
}

async function removeNumber(tx: Tx, number: number): Promise<void> {
  const row = await tx.get<{ words: number }>("SELECT words FROM retrieval_documents WHERE number = ?", [
    number,
  ]);
  await tx.run("DELETE FROM retrieval_index WHERE rowid = ?", [number]);
  await tx.run("DELETE FROM retrieval_documents WHERE number = ?", [number]);
  await count(tx, shelfIdOf(number), { documents: -1, words: -Number(row?.words ?? 0) });
}

async function numberOf(q: Reader, kind: string, id: string): Promise<number | undefined> {
  const rows = await q.all<{ number: number; kind: SqlValue }>(
    `SELECT d.number AS "number", s.kind AS "kind" FROM retrieval_documents AS d
     JOIN retrieval_shelves AS s ON s.id = d.number / ${shelfSize} WHERE d.id = ?`,
    [id],
  );
  return rows.find((row) => row.kind === kind)?.number;
}

async function shelfFor(tx: Tx, kind: string, scope: string): Promise<Shelf> {
  const find = "SELECT id, kind, scope, documents, words FROM retrieval_shelves WHERE kind = ? AND scope = ?";
  const there = await tx.get<Shelf>(find, [kind, scope]);
  if (there) return there;
  await tx.run("INSERT INTO retrieval_shelves (kind, scope) VALUES (?, ?)", [kind, scope]);
  const made = await tx.get<Shelf>(find, [kind, scope]);
  if (!made) throw new Error(`no shelf for ${kind}`);
  return made;
}

async function nextNumber(tx: Tx, shelf: Shelf): Promise<number> {
  const [last] = await newest(tx, shelf, 1);
  return last ? last.number + 1 : firstOf(shelf);
}

async function count(tx: Tx, shelfId: number, by: { documents: number; words: number }): Promise<void> {
  await tx.run("UPDATE retrieval_shelves SET documents = documents + ?, words = words + ? WHERE id = ?", [
    by.documents,
    by.words,
    shelfId,
  ]);
}

const shelfIdOf = (number: number): number => Math.floor(number / shelfSize);
