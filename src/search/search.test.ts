import { expect, test } from "vitest";
import { sampleTask } from "../../test/sample-prompt.ts";
import { sampleDocument, sourceOf } from "../../test/temp-documents.ts";
import { openTempStore } from "../../test/temp-store.ts";
import type { Db } from "../store/port/db.ts";
import { countIndexed, isFragmented } from "./check-index.ts";
import type { SearchDocument } from "./document.ts";
import { dropNearDuplicates } from "./drop-near-duplicates.ts";
import { addDocuments, removeDocuments } from "./index-documents.ts";
import { taskQuery, textQuery } from "./query.ts";
import { rebuildIndex } from "./rebuild-index.ts";
import { type SearchResult, search, searchDocuments } from "./search.ts";

const now = new Date("2026-02-01T00:00:00.000Z");

const documents: readonly SearchDocument[] = [
  sampleDocument({
    id: "l-1",
    title: "Pin the clock in the scheduler tests",
    body: "parseDuration() rounds up",
  }),
  sampleDocument({
    id: "l-2",
    title: "The migration needs IF NOT EXISTS",
    body: "else a second opening fails",
  }),
  sampleDocument({
    id: "l-3",
    title: "Use vi.useFakeTimers in vitest",
    body: "src/base/clock.ts takes a Clock",
  }),
];

async function filled(all: readonly SearchDocument[] = documents): Promise<Db> {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (const document of all) await addDocuments(tx, [document]);
  });
  return db;
}

const find = (db: Db, text: string, all = documents): Promise<SearchResult> =>
  search(db, { query: textQuery(text), sources: [sourceOf(all)], limit: 5, now, abstain: false });

const idsOf = ({ hits }: SearchResult): readonly string[] => hits.map(({ document }) => document.id);

test("LEARN-4: words in any order, stemmed, find the document that has them", async () => {
  const db = await filled();
  expect(idsOf(await find(db, "opening migrations twice"))[0]).toBe("l-2");
  expect(idsOf(await find(db, "duration parse"))[0]).toBe("l-1");
});

test("SKILL-4: documents outside the index are ranked as indexed ones are, and none is found for an unrelated query", async () => {
  const [empty, indexed] = [await openTempStore(), await filled()];
  const task = { ...sampleTask(), title: "A migration fails at its second opening", description: "" };
  const request = { query: taskQuery(task), limit: 5, now, rarityOf: ["sample"] };
  const given = await searchDocuments(empty, documents, request);
  expect(idsOf(given)).toEqual(["l-2"]);
  const sources = [sourceOf(documents)];
  const found = await search(indexed, { ...request, sources, recency: false });
  expect(given.hits[0]?.score).toBeCloseTo(found.hits[0]?.score ?? 0, 6);
  const other = { ...request, query: taskQuery({ ...task, title: "Paint the bike shed green" }) };
  expect((await searchDocuments(empty, documents, other)).hits).toEqual([]);
  // Words that the project's index has often count less.
  const common = await searchDocuments(indexed, documents, request);
  expect(common.hits[0]?.score ?? 0).toBeLessThan(given.hits[0]?.score ?? 0);
  expect((await searchDocuments(empty, [], request)).hits).toEqual([]);
});

test("LEARN-4: documents of another kind change neither what is found nor its score", async () => {
  const [alone, beside] = [await filled(), await filled()];
  const others = Array.from({ length: 20 }, (_, n) =>
    sampleDocument({ kind: "failure report", id: `f-${n}`, title: "The migration needs a clock" }),
  );
  await beside.transaction((tx) => addDocuments(tx, others));
  for (const text of ["migration", "igratio", "scheduler clock"])
    expect((await find(beside, text)).hits).toEqual((await find(alone, text)).hits);
});

test("LEARN-4: what recency adds to a score is never more than what the words did", async () => {
  const text = "The migration needs a second opening of the clock tests";
  const all = [
    sampleDocument({ id: "old", title: text, createdAt: "2024-01-01T00:00:00.000Z" }),
    sampleDocument({ id: "new", title: "Clock the whales of the harbour", createdAt: now.toISOString() }),
    sampleDocument({
      id: "future",
      title: "Opening hours of the zoo",
      createdAt: "2030-01-01T00:00:00.000Z",
    }),
  ];
  const found = await find(await filled(all), text, all);
  expect(idsOf(found)[0]).toBe("old");
  for (const { score, parts } of found.hits) {
    const { recency, ...words } = parts;
    const sum = Object.values(words).reduce((a, b) => a + b, 0);
    expect([recency <= 1, score <= 2 * sum]).toEqual([true, true]);
  }
  expect(found.hits.some(({ parts }) => parts.recency === 1)).toBe(true);
});

test("LEARN-12: documents in doubt change neither the scores of the others nor the decision about them, and follow them", async () => {
  const task = { ...sampleTask(), title: "A migration fails at its second opening", description: "" };
  const of = async (all: readonly SearchDocument[]): Promise<SearchResult> => {
    const source = { ...sourceOf(all), inDoubt: async () => new Set(doubtful.map(({ id }) => id)) };
    return search(await filled(all), { query: taskQuery(task), sources: [source], limit: 5, now });
  };
  const doubtful = Array.from({ length: 60 }, (_, n) =>
    sampleDocument({ id: `x-${n}`, title: `${task.title}: call helper${n} of module${n}`, body: "" }),
  );
  const sure = await of(documents);
  expect(idsOf(sure)).toEqual(["l-2"]);
  for (const number of [1, 10]) {
    const both = await of([...documents, ...doubtful.slice(0, number)]);
    expect(both.hits[0]).toEqual(sure.hits[0]);
    expect(both.probability).toBe(sure.probability);
    expect(idsOf(both)[1]).toMatch(/^x-/);
  }
  expect(idsOf(await of([...documents, ...doubtful]))[0]).toBe("l-2");
});

test("LEARN-4: irregular forms find their word, and the word them", async () => {
  const all = [
    sampleDocument({ id: "l-1", title: "The migration was begun twice", body: "and froze" }),
    sampleDocument({ id: "l-2", title: "Walrus matrices are sparse" }),
  ];
  const db = await filled(all);
  for (const text of ["begins", "it began", "freezing"])
    expect(idsOf(await find(db, text, all))).toEqual(["l-1", "l-2"]);
  expect((await find(db, "the matrix", all)).hits[0]?.parts.words).toBeGreaterThan(0);
  expect(
    (await find(db, "left", [sampleDocument({ id: "l-1", title: "leave" })])).hits[0]?.parts.words ?? 0,
  ).toBe(0);
});

test("LEARN-4: a document's own words count more than those of what it came up at", async () => {
  const context = "invoice totals in cents";
  const all = [
    sampleDocument({ id: "beside", title: "Round half to even", body: "as banks do", context }),
    sampleDocument({ id: "own", title: "Round half to even", body: `as banks do ${context}` }),
    sampleDocument({
      id: "tagged",
      title: "Round half to even",
      body: "as banks do",
      tags: context.split(" "),
    }),
  ];
  const { hits } = await find(await filled(all), "invoice cents", all);
  const words = new Map(hits.map(({ document, parts }) => [document.id, parts.words]));
  expect(words.get("own")).toBeGreaterThan(words.get("beside") ?? 0);
  expect(words.get("tagged")).toBeGreaterThan(words.get("beside") ?? 0);
  expect(words.get("beside")).toBeGreaterThan(0);
});

test("LEARN-4: a removed document is not found, a replaced one by its new words", async () => {
  const db = await filled();
  const replaced = sampleDocument({ id: "l-2", title: "Nothing but walrus" });
  await db.transaction(async (tx) => {
    await removeDocuments(tx, "sample", ["l-1"]);
    await addDocuments(tx, [replaced]);
  });
  expect(await countIndexed(db, "sample")).toBe(2);
  const left = [replaced, ...documents.slice(2)];
  expect(idsOf(await find(db, "walrus", left))[0]).toBe("l-2");
  expect(idsOf(await find(db, "scheduler", left))).not.toContain("l-1");
});

test("LEARN-4: a number is never given twice: what had a removed document's words is not the next one", async () => {
  const db = await filled();
  const last = sampleDocument({ id: "l-9", title: "walrus" });
  const next = sampleDocument({ id: "l-10", title: "penguin" });
  await db.transaction((tx) => addDocuments(tx, [last]));
  await db.transaction((tx) => removeDocuments(tx, "sample", ["l-9"]));
  await db.transaction((tx) => addDocuments(tx, [next]));
  const { hits } = await find(db, "walrus", [...documents, next]);
  expect(hits.filter(({ parts }) => parts.words > 0)).toEqual([]);
  expect(idsOf(await find(db, "penguin", [...documents, next]))[0]).toBe("l-10");
});

test("LEARN-4: an index that mostly lists what is gone is worn", async () => {
  const db = await filled();
  for (let round = 0; round < 1100; round += 100) {
    await db.transaction(async (tx) => {
      for (let at = round; at < round + 100; at += 1) {
        await addDocuments(tx, [sampleDocument({ id: "l-1", title: `word${at}` })]);
      }
    });
  }
  expect(await isFragmented(db)).toBe(true);
  await db.transaction((tx) => rebuildIndex(tx, [sourceOf(documents)]));
  expect(await isFragmented(db)).toBe(false);
});

test("CTX-3: the index is rebuilt from the kinds' own rows", async () => {
  const db = await filled();
  const before = await find(db, "scheduler clock");
  const indexed = await db.transaction((tx) => rebuildIndex(tx, [sourceOf(documents)]));
  expect(indexed).toBe(3);
  expect(await find(db, "scheduler clock")).toEqual(before);
});

test("LEARN-4: near-duplicates collapse, those alone that share over four fifths of their words", async () => {
  const twins = ["a", "b"].map((id) =>
    sampleDocument({ id, title: "always close the database before the rename" }),
  );
  const all = [
    ...twins,
    sampleDocument({ id: "c", title: "the rename of a database needs its log folded in" }),
  ];
  const db = await filled(all);
  const { hits } = await find(db, "database rename", all);
  expect(hits).toHaveLength(3);
  const rest = dropNearDuplicates(hits);
  expect(rest.map(({ document }) => document.id).toSorted()).toEqual(["a", "c"]);
  const words = "ant bee cat dog elk fox gnu hen ibis";
  const near = [words, `${words} jay`, `${words} jay kite lark`].map((title, at) => ({
    ...hits[0],
    document: sampleDocument({ id: `n-${at}`, title }),
  })) as typeof hits;
  const left = dropNearDuplicates(near);
  // 9 of 10 words, then 9 of 12.
  expect(left.map(({ document }) => document.id)).toEqual(["n-0", "n-2"]);
});

test("LEARN-4: a part of an identifier finds it", async () => {
  const db = await filled();
  expect(idsOf(await find(db, "eDurati"))[0]).toBe("l-1");
  expect(idsOf(await find(db, "FakeTimers"))[0]).toBe("l-3");
});

test("LEARN-4: a task finds what its error, its neighbours and its files point to", async () => {
  const all = ["e", "t", "f"].map((id) =>
    sampleDocument({
      id,
      title: "same words",
      errorSignature: id === "e" ? "type_error:0123456789ab" : null,
      taskId: id === "t" ? "t-0000aa" : null,
      files: id === "f" ? ["src/x.ts"] : [],
    }),
  );
  const db = await filled(all);
  const first = async (
    around: Parameters<typeof taskQuery>[1],
    files: readonly string[] = [],
  ): Promise<unknown> => {
    const query = taskQuery(sampleTask({ title: "same", files }), around);
    return idsOf(await search(db, { query, sources: [sourceOf(all)], limit: 1, now }));
  };
  expect(await first({ errorSignature: "type_error:0123456789ab" })).toEqual(["e"]);
  expect(await first({ relatedTasks: ["t-0000aa"] })).toEqual(["t"]);
  expect(await first({}, ["src/x.ts"])).toEqual(["f"]);
});

test("LEARN-4: what is filed where the task is, under a rare label, is found without a common word; under a common one not", async () => {
  const filed = [
    sampleDocument({ id: "l-1", title: "Quote each cell", tags: ["Export"] }),
    sampleDocument({ id: "l-2", title: "Flush before the end", files: ["src/reports/weekly.ts"] }),
    ...Array.from({ length: 20 }, (_, at) =>
      sampleDocument({
        id: `l-b${at}`,
        title: `Walrus number ${at}`,
        tags: ["backend"],
        files: [`lib/${at}.ts`],
      }),
    ),
  ];
  const db = await filled(filed);
  const found = async (more: Partial<ReturnType<typeof sampleTask>>): Promise<readonly string[]> => {
    const query = taskQuery(sampleTask({ title: "Invoices for sellers", description: "", ...more }));
    return idsOf(await search(db, { query, sources: [sourceOf(filed)], limit: 1, now }));
  };
  expect(await found({ tags: ["export"], files: [] })).toEqual(["l-1"]);
  expect(await found({ tags: [], files: ["src/reports/daily.ts"] })).toEqual(["l-2"]);
  expect(await found({ tags: ["backend"], files: [] })).toEqual([]);
  expect(await found({ tags: [], files: ["lib/other.ts"] })).toEqual([]);
});
