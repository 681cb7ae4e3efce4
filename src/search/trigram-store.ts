import type { Reader, Tx } from "../store/port/db.ts";
import { indexDialect } from "./dialect-in-use.ts";

/** Shorter words are not found by their parts. */
const minLength = 4;

/** Makes words findable by their trigrams; words that already are stay unchanged. */
export async function addWords(tx: Tx, words: readonly string[]): Promise<void> {
  for (const word of words) {
    if ([...word].length < minLength) continue;
    const row = await tx.get<{ id: number }>(
      "INSERT INTO retrieval_words (word) VALUES (?) ON CONFLICT DO NOTHING RETURNING id",
      [word],
    );
    if (row) await indexDialect(tx).addTrigrams(tx, row.id, word);
  }
}

/** Returns indexed words that contain `part`, the shortest first; none when `part` is shorter than a trigram. */
export async function wordsContaining(q: Reader, part: string, limit: number): Promise<readonly string[]> {
  const characters = [...part];
  const trigrams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
  if (trigrams.length === 0) return [];
  return indexDialect(q).wordsContaining(q, part, [...new Set(trigrams)], limit);
}

/** Returns indexed words that start with `prefix`, the shortest first; none when it is shorter than a trigram. */
export async function wordsStartingWith(
  q: Reader,
  prefix: string,
  limit: number,
): Promise<readonly string[]> {
  if (prefix.length < 3) return [];
  const rows = await q.all<{ word: string }>(
    "SELECT word FROM retrieval_words WHERE word >= ? AND word < ? ORDER BY length(word), word LIMIT ?",
    [prefix, `${prefix}\uffff`, limit],
  );
  return rows.map(({ word }) => word);
}

/** Counts the words with a posting list that cannot be found by their trigrams. */
export async function countWordsWithoutTrigrams(q: Reader): Promise<number> {
  const row = await q.get<{ n: number }>(
    `SELECT COUNT(DISTINCT l.word) AS n FROM retrieval_lists AS l LEFT JOIN retrieval_words AS w ON w.word = l.word
     WHERE w.id IS NULL AND length(l.word) >= ${minLength}`,
  );
  return Number(row?.n ?? 0);
}

export async function clearWords(tx: Tx): Promise<void> {
  await indexDialect(tx).clearTrigrams(tx);
  await tx.run("DELETE FROM retrieval_words");
}
