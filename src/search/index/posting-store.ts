import type { Reader, Tx } from "../../store/db.ts";

/** A list's last documents stand in one row; each time that these are so many, they become a block. */
const blockSize = 128;

/** The documents of one shelf that have a word. */
export interface PostingList {
  readonly word: string;
  readonly shelf: number;
  /** How many there are; those that were removed since the index was built are counted too. */
  readonly documents: number;
  /** The last `documents % 128` of them, as numbers within the shelf. */
  readonly numbers: string;
}

/** The lists of these words, of all shelves; a word that stands nowhere has none. */
export async function postingListsOf(q: Reader, words: readonly string[]): Promise<readonly PostingList[]> {
  return q.all<PostingList>(
    `SELECT l.word, l.shelf, l.documents, l.numbers FROM json_each(?) AS wanted
     JOIN retrieval_lists AS l ON l.word = wanted.value`,
    [JSON.stringify(words)],
  );
}

/** The list's documents, by their numbers within the shelf: all, or about the last `atMost`. */
export async function docIdsIn(q: Reader, list: PostingList, atMost: number): Promise<readonly number[]> {
  const last = decoded(list.numbers);
  const wanted = Math.min(list.documents, atMost) - last.length;
  if (wanted <= 0) return last;
  const blocks = await q.all<{ numbers: string }>(
    "SELECT numbers FROM retrieval_blocks WHERE word = ? AND shelf = ? ORDER BY block DESC LIMIT ?",
    [list.word, list.shelf, Math.ceil(wanted / blockSize)],
  );
  return [...blocks.flatMap(({ numbers }) => fromDeltas(decoded(numbers))), ...last];
}

/**
 * Adds documents to the lists of their words; returns the words that are new to the shelf. Numbers rise, and are above
 * all that the shelf's lists have.
 */
export async function appendPostings(
  tx: Tx,
  shelf: number,
  lists: ReadonlyMap<string, readonly number[]>,
): Promise<readonly string[]> {
  const rows = [...lists].map(([word, numbers]) => [word, numbers.length, numbers.join(",")]);
  const written = await tx.all<{ word: string; documents: number }>(
    `INSERT INTO retrieval_lists (word, shelf, documents, numbers)
     SELECT value ->> 0, ?, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
     ON CONFLICT (word, shelf) DO UPDATE SET documents = documents + excluded.documents,
       numbers = CASE numbers WHEN '' THEN '' ELSE numbers || ',' END || excluded.numbers
     RETURNING word, documents`,
    [shelf, JSON.stringify(rows)],
  );
  const unknown: string[] = [];
  for (const { word, documents } of written) {
    const before = documents - (lists.get(word)?.length ?? 0);
    if (before === 0) unknown.push(word);
    if ((before % blockSize) + (documents - before) >= blockSize)
      await makePostingBlocks(tx, word, shelf, before);
  }
  return unknown;
}

/** How many lists do not have as many numbers as they say. Reads all of them. */
export async function countBrokenPostings(q: Reader): Promise<number> {
  const row = await q.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM retrieval_lists AS l WHERE
       CASE l.numbers WHEN '' THEN 0 ELSE length(l.numbers) - length(replace(l.numbers, ',', '')) + 1 END
         <> l.documents % ${blockSize}
       OR (l.documents >= ${blockSize} AND l.documents / ${blockSize} <>
         (SELECT COUNT(*) FROM retrieval_blocks AS b WHERE b.word = l.word AND b.shelf = l.shelf))`,
  );
  return Number(row?.n ?? 0);
}

/** At most `limit` words that can be found by a piece of them, from all over the index. */
export async function listedWords(q: Reader, limit: number): Promise<readonly string[]> {
  const rows = await q.all<{ word: string }>(
    `SELECT DISTINCT word FROM retrieval_lists WHERE length(word) BETWEEN 4 AND 40 AND word NOT GLOB '*[^a-z0-9]*'
     ORDER BY substr(word, 3), word LIMIT ?`,
    [limit],
  );
  return rows.map(({ word }) => word);
}

export async function clearPostings(tx: Tx): Promise<void> {
  await tx.run("DELETE FROM retrieval_lists");
  await tx.run("DELETE FROM retrieval_blocks");
}

async function makePostingBlocks(tx: Tx, word: string, shelf: number, before: number): Promise<void> {
  const row = await tx.get<{ numbers: string }>(
    "SELECT numbers FROM retrieval_lists WHERE word = ? AND shelf = ?",
    [word, shelf],
  );
  const numbers = decoded(row?.numbers ?? "");
  const rest = numbers.length - (numbers.length % blockSize);
  for (let at = 0; at < rest; at += blockSize) {
    const block = Math.floor(before / blockSize) + at / blockSize;
    await tx.run("INSERT INTO retrieval_blocks (word, shelf, block, numbers) VALUES (?, ?, ?, ?)", [
      word,
      shelf,
      block,
      deltas(numbers.slice(at, at + blockSize)).join(","),
    ]);
  }
  await tx.run("UPDATE retrieval_lists SET numbers = ? WHERE word = ? AND shelf = ?", [
    numbers.slice(rest).join(","),
    word,
    shelf,
  ]);
}

function decoded(numbers: string): number[] {
  return JSON.parse(`[${numbers}]`) as number[];
}

/** The first number, then how far each is from the one before: short where a word is common. */
function deltas(numbers: readonly number[]): readonly number[] {
  return numbers.map((number, at) => number - (numbers[at - 1] ?? 0));
}

function fromDeltas(steps: readonly number[]): readonly number[] {
  let sum = 0;
  return steps.map((step) => {
    sum += step;
    return sum;
  });
}
