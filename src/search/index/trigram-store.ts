import type { Reader, Tx } from "../../store/db.ts";

/** Shorter words are not looked for by a piece of them. */
const shortestWord = 4;

/** Keeps words to be found by a piece of them; those that are kept already stay as they are. */
export async function addWordTrigrams(tx: Tx, words: readonly string[]): Promise<void> {
  for (const word of words) {
    if ([...word].length < shortestWord) continue;
    const row = await tx.get<{ id: number }>(
      "INSERT INTO retrieval_words (word) VALUES (?) ON CONFLICT DO NOTHING RETURNING id",
      [word],
    );
    if (row) await tx.run("INSERT INTO retrieval_pieces (rowid, word) VALUES (?, ?)", [row.id, word]);
  }
}

/** Words of the index that contain `piece`, of at least three characters; the shortest first. */
export async function wordsWithTrigram(q: Reader, piece: string, limit: number): Promise<readonly string[]> {
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

/** How many words of the index's lists are not kept to be found by a piece of them. */
export async function countUnusedWords(q: Reader): Promise<number> {
  const row = await q.get<{ n: number }>(
    `SELECT COUNT(DISTINCT l.word) AS n FROM retrieval_lists AS l LEFT JOIN retrieval_words AS w ON w.word = l.word
     WHERE w.id IS NULL AND length(l.word) >= ${shortestWord}`,
  );
  return Number(row?.n ?? 0);
}

export async function clearTrigrams(tx: Tx): Promise<void> {
  await tx.run("INSERT INTO retrieval_pieces (retrieval_pieces) VALUES ('delete-all')");
  await tx.run("DELETE FROM retrieval_words");
}
