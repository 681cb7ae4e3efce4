import type { Reader, Tx } from "../store/port/db.ts";

/**
 * The index's operations that differ between databases and that the store's `Dialect` does not cover: trigram search and
 * the index's own tables. All other statements in this folder are portable.
 */
export interface IndexDialect {
  /** Returns an aggregate that joins the texts of a group's rows with commas. */
  joinTexts(expression: string): string;
  /** Returns a condition: the column holds ASCII letters and digits only. */
  isAlphanumeric(column: string): string;
  /** Makes a word of `retrieval_words` findable by its trigrams. */
  addTrigrams(tx: Tx, id: number, word: string): Promise<void>;
  /** Returns indexed words that contain `part`, the shortest first. `trigrams` are all of `part`, at least one. */
  wordsContaining(
    q: Reader,
    part: string,
    trigrams: readonly string[],
    limit: number,
  ): Promise<readonly string[]>;
  clearTrigrams(tx: Tx): Promise<void>;
  /** Reports whether all tables of the index exist, with whatever columns. One short query. */
  hasTables(q: Reader): Promise<boolean>;
  /**
   * Drops the index's tables and creates them empty. RALPH_STORE_INCOMPLETE when the trigram table can no longer be
   * dropped because another program removed one of its internal tables.
   */
  recreateTables(tx: Tx): Promise<void>;
}
