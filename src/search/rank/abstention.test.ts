import { expect, test } from "vitest";
import { sampleDocument, sourceOf } from "../../../test/temp-documents.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { SearchDocument } from "../document.ts";
import { addDocuments } from "../index-documents.ts";
import { textQuery } from "../query.ts";
import { type SearchResult, search } from "../search.ts";
import { minStrength, strengthOf } from "./abstention.ts";
import type { ScoringContext } from "./score.ts";
import { weighQuery } from "./weigh-query.ts";

const now = new Date("2030-01-01T00:00:00.000Z");

async function found(text: string, documents: readonly SearchDocument[]): Promise<SearchResult> {
  const db = await openTempStore();
  await db.transaction((tx) => addDocuments(tx, documents));
  return search(db, { query: textQuery(text), sources: [sourceOf(documents)], limit: 3, now });
}

const idsOf = ({ hits }: SearchResult): readonly string[] => hits.map(({ document }) => document.id);

const question = "return the first matching dict of a list";
const context: ScoringContext = {
  query: weighQuery(textQuery(question)),
  collection: { idf: () => 5, unknown: 7, averageWords: 60 },
  now,
  recency: true,
};

/** Three of the question's words, and how alike the texts are in letters. */
const scored = (grams: number): Parameters<typeof strengthOf>[0][number] => ({
  document: sampleDocument({ id: `l-${grams}` }),
  parts: { words: 27, grams, title: 0, pairs: 0, files: 0, error: 0, tasks: 0, labels: 0, recency: 0 },
});

test("LEARN-4: the words of a short question are too weak in a text that is otherwise unlike it", () => {
  const [anywhere, alike] = [scored(1.5), scored(6)];
  expect(strengthOf([anywhere, anywhere], context, 1000)).toBeLessThan(minStrength);
  expect(strengthOf([anywhere, alike], context, 1000)).toBeGreaterThan(minStrength);
});

test("LEARN-4: the same fit is weaker where more documents could have had it by chance", () => {
  const few = strengthOf([scored(6)], context, 10);
  expect(few).toBeGreaterThan(strengthOf([scored(6)], context, 100_000) + 2);
});

test("LEARN-4: what a learning came up at is as good as its own words, for a task that is like it", async () => {
  const origin = "Basket total with two vouchers";
  const lesson = sampleDocument({ id: "l-1", title: "Round half to even in cents", context: origin });
  expect(idsOf(await found("Basket total with three vouchers", [lesson]))).toEqual(["l-1"]);
});

test("LEARN-4: a clearly fitting learning is found in a store of three, five and fifty", async () => {
  const fits = sampleDocument({ id: "fits", title: "Leap days need UTC in the date parser" });
  const others = Array.from({ length: 49 }, (_, at) =>
    sampleDocument({
      id: `o-${at}`,
      title: `Invoice ${at} prints its fonts`,
      body: "A walrus swims north ".repeat(at),
    }),
  );
  for (const size of [3, 5, 50]) {
    const result = await found("Make the date parser accept leap days", [fits, ...others.slice(0, size - 1)]);
    expect(idsOf(result)[0]).toBe("fits");
  }
});
