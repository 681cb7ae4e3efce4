import type { SearchDocument } from "../../src/search/document.ts";
import { addDocuments } from "../../src/search/index-documents.ts";
import { search } from "../../src/search/search.ts";
import type { Db } from "../../src/store/port/db.ts";
import { type BenchQuery, type DataSet, sourceOf } from "./data-set.ts";

/** One way to rank: documents come in, in the order of their creation, and queries in between. */
export interface Ranker {
  add(documents: readonly SearchDocument[]): Promise<void>;
  /** Best first. `shown`: within the set's scope and not the query itself. */
  rank(query: BenchQuery, now: Date): Promise<readonly string[]>;
}

const depth = 100;

interface ProductOptions {
  readonly recency?: boolean;
}

/** The product's own index and search. */
export function productRanker(db: Db, set: DataSet, { recency = true }: ProductOptions = {}): Ranker {
  const source = sourceOf(set.documents);
  return {
    add: (documents) => db.transaction((tx) => addDocuments(tx, documents)),
    rank: async ({ query, scope }, now) => {
      const scopes = set.scoped ? { scopes: [scope] } : {};
      const request = { query, sources: [source], limit: 0, now, recency, abstain: false, ...scopes };
      const { hits } = await search(db, request);
      return hits.map(({ document }) => document.id);
    },
  };
}

/** A plain use of SQLite's full-text search: any of the words, stemmed, best by BM25. */
export async function plainRanker(db: Db, set: DataSet): Promise<Ranker> {
  await db.transaction((tx) =>
    tx.run("CREATE VIRTUAL TABLE plain USING fts5(id UNINDEXED, scope UNINDEXED, text, tokenize = 'porter')"),
  );
  return {
    add: (documents) =>
      db.transaction(async (tx) => {
        for (const { id, scope, title, body } of documents) {
          await tx.run("INSERT INTO plain (id, scope, text) VALUES (?, ?, ?)", [
            id,
            scope,
            `${title}\n${body}`,
          ]);
        }
      }),
    rank: async ({ query, scope }) => {
      const words = keywords(`${query.title} ${query.description}`);
      if (words.length === 0) return [];
      const rows = await db.all<{ id: string }>(
        `SELECT id FROM plain WHERE plain MATCH ? ${set.scoped ? "AND scope = ?" : ""} ORDER BY bm25(plain) LIMIT ${depth}`,
        [words.map((word) => `"${word}"`).join(" OR "), ...(set.scoped ? [scope] : [])],
      );
      return rows.map(({ id }) => id);
    },
  };
}

/**
 * The first design's method: a learning has tags (here its files and the words of its title, or of its first line),
 * and is found by how many of the task's words any of them contains; the newer first among equals.
 */
export function overlapRanker(set: DataSet): Ranker {
  const there: { readonly id: string; readonly scope: string; readonly tags: string }[] = [];
  return {
    add: async (documents) => {
      for (const { id, scope, title, body, files } of documents) {
        const words = keywords(title || (body.split("\n", 1)[0] ?? ""));
        there.push({ id, scope, tags: JSON.stringify([...words, ...files]).toLowerCase() });
      }
    },
    rank: async ({ query, scope }) => {
      const words = keywords(`${query.title} ${query.description}`);
      const scored = there
        .map((document, at) => ({
          ...document,
          at,
          n: words.filter((word) => document.tags.includes(word)).length,
        }))
        .filter(({ n, scope: own }) => n > 0 && (!set.scoped || own === scope));
      return scored.sort((a, b) => b.n - a.n || b.at - a.at).map(({ id }) => id);
    },
  };
}

function keywords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
  return [...new Set(words.map((word) => word.replaceAll("_", " ").trim()).filter(Boolean))].slice(0, 400);
}
