import { count } from "../base/text.ts";
import type { Reader } from "../store/db.ts";
import type { DocumentSource } from "./document.ts";
import { countBrokenPostings, listedWords, postingListsOf } from "./index/posting-store.ts";
import { countUnusedWords, wordsWithTrigram } from "./index/trigram-store.ts";
import { missingParts } from "./index-tables.ts";
import { countDocuments, partitionsOf, present } from "./partition-store.ts";
import { wordsOf } from "./text/words.ts";

/** Of how many words it is tried whether a part of them finds them. */
const maxProbes = 20;

/**
 * What is wrong with the index, or undefined. Thorough, for a person who asks: every document's title is looked up, a few
 * seconds in a store of 100,000.
 */
export async function checkIndex(q: Reader, sources: readonly DocumentSource[]): Promise<string | undefined> {
  const [lacking] = await missingParts(q);
  if (lacking !== undefined) return `it lacks ${lacking}`;
  const missing = await missingDocuments(q, sources);
  if (missing > 0)
    return `${count(missing, "learning")} cannot be found by ${missing === 1 ? "its" : "their"} words`;
  const shelved = (await partitionsOf(q)).reduce((sum, { documents }) => sum + documents, 0);
  const documents = await countDocuments(q);
  if (shelved !== documents) return `it should have ${shelved} entries and has ${documents}`;
  const broken = await countBrokenPostings(q);
  if (broken > 0) return `of ${count(broken, "word")} it does not know all places`;
  const forgotten = (await countUnusedWords(q)) + (await firstUnfound(q));
  return forgotten > 0 ? `parts of ${count(forgotten, "word")} find nothing` : undefined;
}

/** Documents that the index does not have, or not under the words of their titles. */
async function missingDocuments(q: Reader, sources: readonly DocumentSource[]): Promise<number> {
  let missing = 0;
  for (const source of sources) {
    for await (const documents of source.readAll(q)) {
      const words = new Set(documents.flatMap(({ title }) => wordsOf(title).words));
      const listed = new Set((await postingListsOf(q, [...words])).map(({ word }) => word));
      const there = await present(
        q,
        documents.map(({ id }) => id),
      );
      missing += documents.filter(
        ({ id, title }) => !there.has(id) || !wordsOf(title).words.every((word) => listed.has(word)),
      ).length;
    }
  }
  return missing;
}

/** How many of some words, from all over the index, are not found by a part of them. */
async function firstUnfound(q: Reader): Promise<number> {
  let n = 0;
  for (const word of await listedWords(q, maxProbes))
    if ((await wordsWithTrigram(q, word, 1)).length === 0) n += 1;
  return n;
}
