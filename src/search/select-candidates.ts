import type { Reader } from "../store/port/db.ts";
import type { DocumentSource, SearchDocument } from "./document.ts";
import { entriesAt, newestIds, type Partition } from "./partition-store.ts";
import { type PostingList, readDocIds, readPostingLists } from "./posting-store.ts";
import { onceIn } from "./score.ts";
import type { WeighedQuery } from "./weigh-query.ts";

/** Limits per partition that bound the time of a search in a large store. */
const limits = {
  /** Posting lists read. */
  lists: 200,
  /** Posting lists read however long they are. */
  minLists: 4,
  /** Doc ids read, over all lists. */
  docIds: 2000,
  /** Documents compared with their lengths taken into account. */
  compared: 200,
  /** Candidates by words; as many of those that are not in doubt, where others outnumber them. */
  matched: 50,
  /** Candidates by age. */
  newest: 15,
  /** Candidates per error or task token. */
  exact: 10,
};

interface CandidateRequest {
  readonly partitions: readonly Partition[];
  readonly sources: readonly DocumentSource[];
  readonly query: WeighedQuery;
  /** Posting lists of the query's words. */
  readonly postings: readonly PostingList[];
  /** Returns a word's inverse document frequency. */
  readonly idf: (word: string) => number;
  /** Include the newest documents whatever their words. */
  readonly recency: boolean;
}

export interface Candidates {
  readonly documents: readonly SearchDocument[];
  /** Those of them that their source has doubts about. */
  readonly inDoubt: ReadonlySet<SearchDocument>;
}

/** Selects and reads the documents to score: by words, by error or task token, and the newest. */
export async function selectCandidates(
  q: Reader,
  { partitions, sources, query, postings, idf, recency }: CandidateRequest,
): Promise<Candidates> {
  const tokens = [query.error, ...query.tasks].filter(Boolean);
  const exact = tokens.length > 0 ? await readPostingLists(q, tokens) : [];
  const weight = (word: string): number => (query.words.get(word) ?? 0) * idf(word);
  const byKind = new Map<string, Set<string>>();
  for (const partition of partitions) {
    const source = sources.find(({ kind }) => kind === partition.kind);
    const isInPartition = (list: PostingList): boolean => list.partition === partition.id;
    const selected = [
      ...(await matchByWords(q, partition, { source, lists: postings.filter(isInPartition), weight })),
      ...(await newestInLists(q, partition, exact.filter(isInPartition))),
      ...(recency ? await newestIds(q, partition, limits.newest) : []),
    ];
    const ids = byKind.get(partition.kind) ?? new Set<string>();
    for (const id of selected) ids.add(id);
    byKind.set(partition.kind, ids);
  }
  return readCandidates(q, sources, byKind);
}

async function readCandidates(
  q: Reader,
  sources: readonly DocumentSource[],
  byKind: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Candidates> {
  const documents: SearchDocument[] = [];
  const inDoubt = new Set<SearchDocument>();
  for (const source of sources) {
    const ids = [...(byKind.get(source.kind) ?? [])];
    if (ids.length === 0) continue;
    const doubtful = await source.inDoubt?.(q, ids);
    for (const document of await source.read(q, ids)) {
      documents.push(document);
      if (doubtful?.has(document.id)) inDoubt.add(document);
    }
  }
  return { documents, inDoubt };
}

interface WeightedLists {
  readonly source: DocumentSource | undefined;
  readonly lists: readonly PostingList[];
  readonly weight: (word: string) => number;
}

/** Selects the documents with the highest total weight of words, which counts less in a long text. */
async function matchByWords(
  q: Reader,
  partition: Partition,
  { source, lists, weight }: WeightedLists,
): Promise<readonly string[]> {
  const weights = new Map<number, number>();
  for (const list of shortest(lists)) {
    const listWeight = weight(list.word);
    for (const docId of await readDocIds(q, list, limits.docIds)) {
      weights.set(docId, (weights.get(docId) ?? 0) + listWeight);
    }
  }
  const averageWords = partition.words / Math.max(1, partition.documents);
  const ranked = (await entriesAt(q, partition, heaviest(weights))).map(({ docId, id, words }) => ({
    docId,
    id,
    score: (weights.get(docId) ?? 0) * onceIn(words, averageWords),
  }));
  const ids = ranked.toSorted((a, b) => b.score - a.score || b.docId - a.docId).map(({ id }) => id);
  const best = ids.slice(0, limits.matched);
  const doubtful = ids.length > limits.matched ? await source?.inDoubt?.(q, ids) : undefined;
  return [...best, ...ids.filter((id) => doubtful?.has(id) === false).slice(0, limits.matched)];
}

/** Selects the posting lists to read, shortest first: rare words distinguish best and cost least. */
function shortest(lists: readonly PostingList[]): readonly PostingList[] {
  const read: PostingList[] = [];
  let docIds = 0;
  for (const list of lists.toSorted((a, b) => a.documents - b.documents).slice(0, limits.lists)) {
    docIds += list.documents;
    if (read.length >= limits.minLists && docIds > limits.docIds) break;
    read.push(list);
  }
  return read;
}

/** Selects the doc ids with the highest weights, in no particular order; among equals the newest. */
function heaviest(weights: ReadonlyMap<number, number>): readonly number[] {
  const threshold = Float64Array.from(weights.values()).sort().at(-limits.compared) ?? 0;
  const above: number[] = [];
  const equal: number[] = [];
  for (const [docId, weight] of weights) {
    if (weight > threshold) above.push(docId);
    else if (weight === threshold) equal.push(docId);
  }
  const newestFirst = equal.sort((a, b) => b - a);
  return [...above, ...newestFirst.slice(0, limits.compared - above.length)];
}

/** Selects the newest documents of each list. Those of an error or task token are candidates whatever else fits. */
async function newestInLists(
  q: Reader,
  partition: Partition,
  lists: readonly PostingList[],
): Promise<readonly string[]> {
  const docIds = new Set<number>();
  for (const list of lists) {
    for (const docId of (await readDocIds(q, list, limits.exact)).slice(-limits.exact)) docIds.add(docId);
  }
  if (docIds.size === 0) return [];
  return (await entriesAt(q, partition, [...docIds])).map(({ id }) => id);
}
