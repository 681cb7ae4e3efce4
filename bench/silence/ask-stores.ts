import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DocumentSource, SearchDocument } from "../../src/search/document.ts";
import { dropNearDuplicates } from "../../src/search/drop-near-duplicates.ts";
import type { Fit } from "../../src/search/fit-probability.ts";
import { addDocuments } from "../../src/search/index-documents.ts";
import type { SearchQuery } from "../../src/search/query.ts";
import { type SearchHit, type SearchResult, search } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type BenchQuery, type DataSet, sourceOf } from "../retrieval/data-set.ts";
import { asLesson, type BenchStore, drawStores } from "./draw-stores.ts";

/** The conditions that vary besides the set. */
export interface Condition {
  /** Documents per store. */
  readonly size: number;
  /** Documents cut to the length of a lesson, or whole. */
  readonly lessons: boolean;
  /** Tasks with their description, or with their title alone. */
  readonly described: boolean;
}

interface AskedDocument {
  /** Answers the task. */
  readonly gold: boolean;
  /** Characters of its lesson in a prompt. */
  readonly chars: number;
  readonly fit: Fit | undefined;
}

/** A task's answer from a store. */
export interface Asked extends Condition {
  readonly set: string;
  /** A task of another project, or one that no document fits. */
  readonly foreign: boolean;
  /** Of lessons and tasks as developers write them (`ask-lessons.ts`). */
  readonly written: boolean;
  /** For each ranked document, best first, before any is left out: whether it answers the task. */
  readonly ranked: readonly boolean[];
  /** The shown documents, in the order of the prompt. */
  readonly shown: readonly AskedDocument[];
  /** The first documents of the ranking, as many as a prompt has room for, without near-duplicates. */
  readonly first: readonly AskedDocument[];
  /** Probability that any document fits. */
  readonly probability: number;
  readonly evidence: SearchResult["evidence"];
}

export interface AskOptions {
  readonly sizes: readonly number[];
  /** Tasks per set and size. */
  readonly tasks: number;
  /** Tasks of other projects per store. */
  readonly foreign: number;
  readonly seed: number;
  /** Stores of this set alone; foreign tasks are still of all others. */
  readonly only?: string | undefined;
}

/** The default of `memory.maxLearnings`. */
const maxShown = 5;
/** The most characters that a lesson has. */
const maxLesson = 280;
/** After every document was created, so that all are equally old. */
const now = new Date("2030-01-01T00:00:00Z");

/** Asks stores drawn from each set for their own tasks and for those of other projects. */
export async function* askStores(sets: readonly DataSet[], options: AskOptions): AsyncGenerator<Asked> {
  for (const set of sets.filter(({ name }) => options.only === undefined || name === options.only)) {
    for (const size of options.sizes) {
      for (const described of [true, false]) {
        for (const store of drawStores(set, sets, { ...options, size, described })) {
          for (const lessons of [true, false]) yield* askStore(store, { size, lessons, described });
        }
      }
    }
  }
}

async function* askStore(store: BenchStore, condition: Condition): AsyncGenerator<Asked> {
  const documents = condition.lessons ? store.documents.map(asLesson) : store.documents;
  const tasks = [
    ...store.tasks.map((task) => ({ task, foreign: false })),
    ...store.foreign.map((task) => ({ task, foreign: true })),
  ];
  yield* askDocuments(documents, tasks, { ...condition, set: store.set, written: false });
}

/** Stores documents and asks for tasks. */
export async function* askDocuments(
  documents: readonly SearchDocument[],
  tasks: readonly { readonly task: BenchQuery; readonly foreign: boolean }[],
  labels: Condition & Pick<Asked, "set" | "written">,
): AsyncGenerator<Asked> {
  const root = await mkdtemp(join(tmpdir(), "ralph-bench-"));
  const db = await openStore({ path: join(root, "progress.db") });
  try {
    await db.transaction((tx) => addDocuments(tx, documents));
    const whole = sourceOf(documents);
    for (const { task, foreign } of tasks) {
      const request = { query: queryOf(task, labels), sources: [without(whole, task.id)], limit: 0, now };
      const isGold = ({ document }: SearchHit): boolean => !foreign && task.relevant.has(document.id);
      const describe = (hit: SearchHit): AskedDocument => ({
        gold: isGold(hit),
        chars: Math.min(maxLesson, hit.document.title.length || hit.document.body.length),
        fit: hit.fit,
      });
      const result = await search(db, request);
      const ranking = [...result.hits, ...result.silenced].toSorted((a, b) => rankOf(a) - rankOf(b));
      yield {
        ...labels,
        foreign,
        ranked: ranking.map(isGold),
        shown: dropNearDuplicates(result.hits).slice(0, maxShown).map(describe),
        first: dropNearDuplicates(ranking).slice(0, maxShown).map(describe),
        probability: result.probability,
        evidence: result.evidence,
      };
    }
  } finally {
    await db.close();
    await rm(root, { recursive: true, force: true });
  }
}

const rankOf = ({ fit }: SearchHit): number => fit?.rank ?? Number.POSITIVE_INFINITY;

function queryOf({ query }: BenchQuery, { described }: Condition): SearchQuery {
  return described ? query : { ...query, description: "" };
}

/** Returns the source without the task's own document, which some sets have among their documents. */
function without(source: DocumentSource, task: string): DocumentSource {
  return {
    ...source,
    read: (q, ids) =>
      source.read(
        q,
        ids.filter((id) => id !== task),
      ),
  };
}
