import { count } from "../base/text.ts";
import type { Reader } from "../store/port/db.ts";
import { lacks } from "../store/port/schema-objects.ts";
import { indexDialect } from "./dialect-in-use.ts";
import type { DocumentSource } from "./document.ts";
import { countEntries, findEntries, isInconsistent, readPartitions } from "./partition-store.ts";
import { countBrokenPostings, readPostingLists, sampleWords } from "./posting-store.ts";
import { tokenize } from "./tokenize.ts";
import { countWordsWithoutTrigrams, wordsContaining } from "./trigram-store.ts";

/** Number of words that are looked up by their trigrams. */
const maxProbes = 20;

/**
 * Returns the first fault of the index, or undefined. Thorough, for `ralph doctor`: looks up the title of every document,
 * which takes a few seconds in a store of 100,000.
 */
export async function findIndexFault(
  q: Reader,
  sources: readonly DocumentSource[],
): Promise<string | undefined> {
  const schema = (await q.dialect.schemaObjects()).filter(({ derived }) => derived);
  const [lacking] = await lacks(q, schema);
  if (lacking !== undefined) return `it lacks ${lacking}`;
  for (const source of sources) {
    const missing = await countUnindexed(q, source);
    if (missing > 0)
      return `${count(missing, source.kind)} cannot be found by ${missing === 1 ? "its" : "their"} words`;
  }
  const expected = (await readPartitions(q)).reduce((sum, { documents }) => sum + documents, 0);
  const entries = await countEntries(q);
  if (expected !== entries) return `it should have ${count(expected, "entry", "entries")} and has ${entries}`;
  const broken = await countBrokenPostings(q);
  if (broken > 0) return `the posting lists of ${count(broken, "word")} are incomplete`;
  const unfound = (await countWordsWithoutTrigrams(q)) + (await countUnfound(q));
  return unfound > 0 ? `${count(unfound, "word")} cannot be found by a part` : undefined;
}

/** Counts documents that the index lacks, or that it does not list under the words of their titles. */
async function countUnindexed(q: Reader, source: DocumentSource): Promise<number> {
  let missing = 0;
  for await (const documents of source.readAll(q)) {
    const words = new Set(documents.flatMap(({ title }) => tokenize(title).words));
    const listed = new Set((await readPostingLists(q, [...words])).map(({ word }) => word));
    const indexed = new Set((await findEntries(q, documents)).map(({ id }) => id));
    missing += documents.filter(
      ({ id, title }) => !indexed.has(id) || !tokenize(title).words.every((word) => listed.has(word)),
    ).length;
  }
  return missing;
}

/** Counts sampled words that their own trigrams do not find. */
async function countUnfound(q: Reader): Promise<number> {
  let n = 0;
  for (const word of await sampleWords(q, maxProbes))
    if ((await wordsContaining(q, word, 1)).length === 0) n += 1;
  return n;
}

/** Reports whether the index has its tables and they agree with each other. A few short queries. */
export async function isIndexIntact(q: Reader): Promise<boolean> {
  return (await indexDialect(q).hasTables(q)) && !(await isInconsistent(q));
}

/** Reports whether an intact index has as many documents of each source as the source itself, and no others. */
export async function isIndexComplete(q: Reader, sources: readonly DocumentSource[]): Promise<boolean> {
  if (!(await isIndexIntact(q))) return false;
  let expected = 0;
  for (const source of sources) {
    const documents = await source.count(q);
    if ((await countIndexed(q, source.kind)) !== documents) return false;
    expected += documents;
  }
  return (await countEntries(q)) === expected;
}

/** Returns the number of a kind's documents in the index. */
export async function countIndexed(q: Reader, kind: string): Promise<number> {
  const partitions = await readPartitions(q);
  return partitions.reduce((sum, partition) => sum + (partition.kind === kind ? partition.documents : 0), 0);
}

/** Doc ids that an index may waste however small it is: searches stay fast. */
const minFragmented = 1000;

/** Reports whether more than half of the assigned doc ids belong to removed or replaced documents. */
export async function isFragmented(q: Reader): Promise<boolean> {
  const partitions = await readPartitions(q);
  const sum = (field: "nextDocId" | "documents"): number =>
    partitions.reduce((all, partition) => all + partition[field], 0);
  return sum("nextDocId") > minFragmented + 2 * sum("documents");
}
