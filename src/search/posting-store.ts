import type { Reader, Tx } from "../store/port/db.ts";

/** A list keeps its last doc ids in its own row. Each time these reach this number, they become a posting block. */
const blockSize = 128;

/** The documents of one partition that contain a word. */
export interface PostingList {
  readonly word: string;
  /** The partition's id. */
  readonly partition: number;
  /** Length of the list; documents removed since the index was built are counted too. */
  readonly documents: number;
  /** The last `documents % 128` doc ids, separated by commas. */
  readonly lastDocIds: string;
}

/** Returns the posting lists of these words in all partitions; a word that no document contains has none. */
export async function readPostingLists(q: Reader, words: readonly string[]): Promise<readonly PostingList[]> {
  const wanted = q.dialect.listRows("text", words);
  return q.all<PostingList>(
    `SELECT l.word, l.shelf AS "partition", l.documents, l.numbers AS "lastDocIds" FROM ${wanted.sql} AS wanted
     JOIN retrieval_lists AS l ON l.word = wanted.value`,
    wanted.params,
  );
}

/** Returns a list's doc ids: all, or the last `atMost` rounded up to whole blocks. */
export async function readDocIds(q: Reader, list: PostingList, atMost: number): Promise<readonly number[]> {
  const last = parseNumbers(list.lastDocIds);
  const missing = Math.min(list.documents, atMost) - last.length;
  if (missing <= 0) return last;
  const blocks = await q.all<{ numbers: string }>(
    "SELECT numbers FROM retrieval_blocks WHERE word = ? AND shelf = ? ORDER BY block DESC LIMIT ?",
    [list.word, list.partition, Math.ceil(missing / blockSize)],
  );
  return [...blocks.flatMap(({ numbers }) => decodeDeltas(parseNumbers(numbers))), ...last];
}

/** Appends doc ids to the posting lists of their words. They ascend and are above all that the partition's lists have. */
export async function appendPostings(
  tx: Tx,
  partition: number,
  lists: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  const added = tx.dialect.tupleRows(
    { word: "text", documents: "integer", numbers: "text" },
    [...lists].map(([word, docIds]) => [word, docIds.length, docIds.join(",")]),
  );
  const written = await tx.all<{ word: string; documents: number }>(
    `INSERT INTO retrieval_lists (word, shelf, documents, numbers)
     SELECT added.word, ?, added.documents, added.numbers FROM ${added.sql} AS added WHERE true
     ON CONFLICT (word, shelf) DO UPDATE SET documents = retrieval_lists.documents + excluded.documents,
       numbers = CASE retrieval_lists.numbers WHEN '' THEN '' ELSE retrieval_lists.numbers || ',' END || excluded.numbers
     RETURNING word, documents`,
    [partition, ...added.params],
  );
  for (const { word, documents } of written) {
    const before = documents - (lists.get(word)?.length ?? 0);
    if ((before % blockSize) + (documents - before) >= blockSize)
      await makePostingBlocks(tx, { word, partition, before });
  }
}

/** Returns indexed words that contain `part`, the shortest first: for text that a person typed. Reads all words. */
export async function wordsContaining(q: Reader, part: string, limit: number): Promise<readonly string[]> {
  return wordsWhere(q, "word LIKE ? ESCAPE '!'", [`%${part.replace(/[!%_]/g, "!$&")}%`], limit);
}

/** Returns indexed words that start with `prefix`, the shortest first. */
export async function wordsStartingWith(
  q: Reader,
  prefix: string,
  limit: number,
): Promise<readonly string[]> {
  return wordsWhere(q, "word >= ? AND word < ?", [prefix, `${prefix}\uffff`], limit);
}

async function wordsWhere(
  q: Reader,
  condition: string,
  params: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const rows = await q.all<{ word: string }>(
    `SELECT word FROM retrieval_lists WHERE ${condition} GROUP BY word ORDER BY length(word), word LIMIT ?`,
    [...params, limit],
  );
  return rows.map(({ word }) => word);
}

export async function clearPostings(tx: Tx): Promise<void> {
  await tx.run("DELETE FROM retrieval_lists");
  await tx.run("DELETE FROM retrieval_blocks");
}

interface FullList {
  readonly word: string;
  readonly partition: number;
  /** Length of the list before the doc ids that filled a block. */
  readonly before: number;
}

async function makePostingBlocks(tx: Tx, { word, partition, before }: FullList): Promise<void> {
  const row = await tx.get<{ numbers: string }>(
    "SELECT numbers FROM retrieval_lists WHERE word = ? AND shelf = ?",
    [word, partition],
  );
  const docIds = parseNumbers(row?.numbers ?? "");
  const inBlocks = docIds.length - (docIds.length % blockSize);
  for (let at = 0; at < inBlocks; at += blockSize) {
    const block = Math.floor(before / blockSize) + at / blockSize;
    await tx.run("INSERT INTO retrieval_blocks (word, shelf, block, numbers) VALUES (?, ?, ?, ?)", [
      word,
      partition,
      block,
      encodeDeltas(docIds.slice(at, at + blockSize)).join(","),
    ]);
  }
  await tx.run("UPDATE retrieval_lists SET numbers = ? WHERE word = ? AND shelf = ?", [
    docIds.slice(inBlocks).join(","),
    word,
    partition,
  ]);
}

function parseNumbers(text: string): number[] {
  return JSON.parse(`[${text}]`) as number[];
}

/** Encodes ascending numbers as the first one followed by the differences, which are short for common words. */
function encodeDeltas(numbers: readonly number[]): readonly number[] {
  return numbers.map((number, at) => number - (numbers[at - 1] ?? 0));
}

function decodeDeltas(deltas: readonly number[]): readonly number[] {
  let sum = 0;
  return deltas.map((delta) => {
    sum += delta;
    return sum;
  });
}
