import type { Reader } from "../../store/db.ts";
import type { DocumentSource, RetrievalDocument } from "../document.ts";
import { docIdsIn, type PostingList, postingListsOf } from "../index/posting-store.ts";
import { idsOf, lengthsOf, newest, type Partition } from "../partition-store.ts";
import { onceIn } from "./score.ts";
import type { WeighedQuery } from "./weigh-query.ts";

/**
 * How many lists of words are read, and how many entries they may have together; how many documents with these words
 * are compared by their length, and how many of these, and of the newest, are looked at closely: what bounds the time
 * of a search in a large store.
 */
const candidateReach = {
  lists: 200,
  atLeast: 4,
  entries: 2000,
  compared: 200,
  matched: 50,
  newest: 15,
  named: 10,
};

interface CandidateRequest {
  readonly partitions: readonly Partition[];
  readonly sources: readonly DocumentSource[];
  readonly query: WeighedQuery;
  /** Where the query's words stand. */
  readonly postings: readonly PostingList[];
  /** How much a word tells. */
  readonly idf: (word: string) => number;
  /** Whether the newest are looked at whatever they say. */
  readonly recency: boolean;
}

/** The documents that are worth a close look. */
export async function candidates(
  q: Reader,
  { partitions: shelves, sources, query, postings: lists, idf, recency }: CandidateRequest,
): Promise<readonly RetrievalDocument[]> {
  const exact = [query.error, ...query.tasks].filter(Boolean);
  const named = exact.length > 0 ? await postingListsOf(q, exact) : [];
  const worth = (word: string): number => (query.words.get(word) ?? 0) * idf(word);
  const byKind = new Map<string, Set<string>>();
  for (const shelf of shelves) {
    const on = ({ shelf: id }: PostingList): boolean => id === shelf.id;
    const wanted = [
      ...(await matched(q, shelf, { lists: lists.filter(on), worth })),
      ...(await documentsWith(q, shelf, named.filter(on))),
      ...(recency ? await newest(q, shelf, candidateReach.newest) : []),
    ];
    const ids = byKind.get(shelf.kind) ?? new Set<string>();
    for (const id of wanted) ids.add(id);
    byKind.set(shelf.kind, ids);
  }
  const documents: RetrievalDocument[] = [];
  for (const source of sources) {
    const ids = [...(byKind.get(source.kind) ?? [])];
    if (ids.length > 0) documents.push(...(await source.read(q, ids)));
  }
  return documents;
}

interface ByWords {
  readonly lists: readonly PostingList[];
  readonly worth: (word: string) => number;
}

/** Who has the words that tell most; what a word is worth counts less in a long text. */
async function matched(q: Reader, shelf: Partition, { lists, worth }: ByWords): Promise<readonly string[]> {
  const worths = new Map<number, number>();
  for (const list of rarest(lists)) {
    const one = worth(list.word);
    for (const number of await docIdsIn(q, list, candidateReach.entries)) {
      worths.set(number, (worths.get(number) ?? 0) + one);
    }
  }
  const average = shelf.words / Math.max(1, shelf.documents);
  const lengths = await lengthsOf(q, shelf, best(worths));
  const ranked = [...lengths].map(([number, words]) => ({
    number,
    score: (worths.get(number) ?? 0) * onceIn(words, average),
  }));
  ranked.sort((a, b) => b.score - a.score || b.number - a.number);
  return idsOf(
    q,
    shelf,
    ranked.slice(0, candidateReach.matched).map(({ number }) => number),
  );
}

/** The lists to read: the shortest first, for they tell most and cost least. */
function rarest(lists: readonly PostingList[]): readonly PostingList[] {
  const read: PostingList[] = [];
  let entries = 0;
  for (const list of lists.toSorted((a, b) => a.documents - b.documents).slice(0, candidateReach.lists)) {
    entries += list.documents;
    if (read.length >= candidateReach.atLeast && entries > candidateReach.entries) break;
    read.push(list);
  }
  return read;
}

/** The numbers with the most worth, in no order; of equals the newer. */
function best(worths: ReadonlyMap<number, number>): readonly number[] {
  const least = Float64Array.from(worths.values()).sort().at(-candidateReach.compared) ?? 0;
  const above: number[] = [];
  const level: number[] = [];
  for (const [number, worth] of worths) {
    if (worth > least) above.push(number);
    else if (worth === least) level.push(number);
  }
  const newestFirst = level.sort((a, b) => b - a);
  return [...above, ...newestFirst.slice(0, candidateReach.compared - above.length)];
}

/** Who has the token of the error or of a task near it, the newest of each: looked at however little else fits. */
async function documentsWith(
  q: Reader,
  shelf: Partition,
  lists: readonly PostingList[],
): Promise<readonly string[]> {
  const numbers = new Set<number>();
  for (const list of lists) {
    for (const number of (await docIdsIn(q, list, candidateReach.named)).slice(-candidateReach.named))
      numbers.add(number);
  }
  return numbers.size > 0 ? idsOf(q, shelf, [...numbers]) : [];
}
