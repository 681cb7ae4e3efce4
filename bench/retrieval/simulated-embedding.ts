import { addDocuments } from "../../src/search/index-documents.ts";
import { addMeaning } from "../../src/search/rank/add-meaning.ts";
import { type SearchHit, search } from "../../src/search/search.ts";
import type { Db } from "../../src/store/db.ts";
import { type BenchQuery, type DataSet, sourceOf } from "./data-set.ts";
import { runSet } from "./run-set.ts";

/** R@3 by words alone, and with the cosines of two models that are made up. */
export interface SimulatedEmbedding {
  readonly words: number;
  /** A model that knows nothing: the cosines of random vectors. */
  readonly random: number;
  /** One whose cosines are higher for relevant documents, with noise: some relevant ones are below others. */
  readonly good: number;
}

/** As many hits as recall reorders by meaning. */
const hitsReordered = 30;
const seeds = 5;
const dimensions = 256;
/** Cosines of a good model: average, what a relevant document has more, and the standard deviation of the noise. */
const goodModel = { average: 0.35, relevant: 0.25, noise: 0.1 };

export async function simulateEmbedding(db: Db, set: DataSet): Promise<SimulatedEmbedding> {
  const source = sourceOf(set.documents);
  const sums = { words: 0, random: 0, good: 0, queries: 0 };
  const random = normals(1);
  const rank = async (query: BenchQuery, now: Date): Promise<readonly string[]> => {
    const scopes = set.scoped ? { scopes: [query.scope] } : {};
    const request = { query: query.query, sources: [source], limit: hitsReordered + 1, now, abstain: false };
    const { hits: found } = await search(db, { ...request, ...scopes });
    const hits = found.filter(({ document }) => document.id !== query.id).slice(0, hitsReordered);
    const isRelevant = ({ document }: SearchHit): boolean => query.relevant.has(document.id);
    const recall = (ordered: readonly SearchHit[]): number =>
      ordered.slice(0, 3).filter(isRelevant).length / query.relevant.size;
    sums.queries += 1;
    sums.words += recall(hits);
    for (let seed = 0; seed < seeds; seed += 1) {
      const { average, relevant, noise } = goodModel;
      sums.random += recall(reorder(hits, () => random() / Math.sqrt(dimensions)));
      const cosine = (hit: SearchHit): number =>
        average + (isRelevant(hit) ? relevant : 0) + noise * random();
      sums.good += recall(reorder(hits, cosine));
    }
    return [];
  };
  await runSet(set, { add: (documents) => db.transaction((tx) => addDocuments(tx, documents)), rank });
  const { queries, words, random: byRandom, good } = sums;
  return { words: words / queries, random: byRandom / (queries * seeds), good: good / (queries * seeds) };
}

function reorder(hits: readonly SearchHit[], cosineOf: (hit: SearchHit) => number): readonly SearchHit[] {
  const scores = addMeaning(
    hits.map(({ score }) => score),
    hits.map(cosineOf),
  );
  return hits
    .map((hit, at) => ({ hit, at, score: scores[at] ?? 0 }))
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .map(({ hit }) => hit);
}

/** Returns a source of normally distributed numbers, the same for the same seed: Numerical Recipes' generator, Box-Muller. */
function normals(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

export function embeddingLines({ words, random, good }: SimulatedEmbedding): readonly string[] {
  return [
    "\n| R@3 by words | + a model that knows nothing | + a good model |",
    "|---|---|---|",
    `| ${words.toFixed(3)} | ${random.toFixed(3)} | ${good.toFixed(3)} |`,
  ];
}
