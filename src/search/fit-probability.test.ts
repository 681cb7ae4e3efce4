import { expect, test } from "vitest";
import { sampleDocument, sourceOf } from "../../test/temp-documents.ts";
import { openTempStore } from "../../test/temp-store.ts";
import type { SearchDocument } from "./document.ts";
import { isShown, thresholds } from "./fit-probability.ts";
import { addDocuments } from "./index-documents.ts";
import { textQuery } from "./query.ts";
import { type SearchRequest, type SearchResult, search } from "./search.ts";

const now = new Date("2030-01-01T00:00:00.000Z");

async function found(text: string, documents: readonly SearchDocument[]): Promise<SearchResult> {
  return asked(textQuery(text), documents);
}

async function asked(
  query: SearchRequest["query"],
  documents: readonly SearchDocument[],
): Promise<SearchResult> {
  const db = await openTempStore();
  await db.transaction((tx) => addDocuments(tx, documents));
  return search(db, { query, sources: [sourceOf(documents)], limit: 5, now });
}

const idsOf = ({ hits }: SearchResult): readonly string[] => hits.map(({ document }) => document.id);

/** Lessons as developers write them, none about dates. */
const lessons = [
  "The invoice PDF needs embedded fonts, or printing fails at the customer.",
  "Debounce the focus handler: widgets redraw on every event.",
  "Close the Redis pool after each test, or its connections leak.",
  "Safari 14 needs a fallback for the CSS grid.",
  "Docker builds need buildkit for the cache mounts.",
  "Prefix migrations with numbers: they run in alphabetical order.",
  "Load the analytics script last; it made the login page slow.",
  "Feature flags are read at start, so restart the workers after a change.",
  "Webhook retries need an idempotency key, or customers are charged twice.",
  "The worker drops its queue on SIGTERM unless it waits for the flush.",
];

/** `size` different lessons, the first ones of `lessons`. */
function storeOf(size: number, ...first: readonly string[]): readonly SearchDocument[] {
  const others = Array.from({ length: size - first.length }, (_, at) =>
    at < lessons.length
      ? (lessons[at] ?? "")
      : `Walrus ${at} of the ${at % 7} herds swims north past buoy ${at}.`,
  );
  return [...first, ...others].map((title, at) => sampleDocument({ id: `l-${at}`, title }));
}

test.each([3, 5, 50, 300])(
  "LEARN-11: in a store of %i, a fitting lesson is shown and the others are not",
  async (size) => {
    const store = storeOf(size, "Leap days need UTC in the date parser.");
    expect(idsOf(await found("Make the date parser accept leap days", store))).toEqual(["l-0"]);
    expect(idsOf(await found("Translate the onboarding mails to Portuguese", store))).toEqual([]);
  },
);

test("LEARN-11: the same fit is less probable where more documents could have had it by chance", async () => {
  const of = async (size: number): Promise<number> =>
    (await found("Date parser for imports", storeOf(size, "Leap days need UTC in the date parser.")))
      .probability;
  expect(await of(200)).toBeLessThan(await of(10));
});

test.each([
  ["an identifier", "Refactor shiftRota_v2", "Never call shiftRota_v2 with a closed calendar, it hangs."],
  [
    "a package",
    "Upgrade left-pad3 to the current major",
    "left-pad3 drops its types: pin 2.1 for the old parser.",
  ],
  [
    "a file",
    "Clean up billing/dunning.sql",
    "The view in billing/dunning.sql is recreated by hand after a restore.",
  ],
  [
    "an error code",
    "The importer stops with ENOSPC",
    "ENOSPC there means inotify watches: raise the sysctl.",
  ],
])("LEARN-11: %s of the task in a lesson is enough to show it", async (_, task, lesson) => {
  const { hits } = await found(task, storeOf(100, lesson));
  expect(hits.map(({ document }) => document.id)).toContain("l-0");
  expect(hits[0]?.fit?.exact).not.toBeNull();
});

test("LEARN-11: a word that is common in texts of any project is less evidence than another one of a small store", async () => {
  const common = await found("Empty page request", storeOf(30, "An empty page request hangs."));
  const rare = await found("Damp attic gutter", storeOf(30, "A damp attic gutter hangs."));
  for (const name of ["rareWords", "covered"] as const)
    expect(common.evidence?.subject[name]).toBeLessThan(0.9 * (rare.evidence?.subject[name] ?? 0));
  expect(common.probability).toBeLessThan(rare.probability);
});

test("LEARN-11: function words alone make no lesson in another language fit", async () => {
  const lesson =
    "El número de factura se asigna con SELECT ... FOR UPDATE sobre invoice_series dentro de la transacción.";
  const description = "El cliente elige el motivo y descarga la etiqueta.";
  const query = { ...textQuery("Portal de devoluciones"), description };
  const { hits } = await asked(query, storeOf(30, lesson));
  expect(hits).toEqual([]);
});

test("LEARN-11: the mark of a long vowel in two Japanese texts is no evidence", async () => {
  const store = storeOf(30, "ロードバランサーが十メガバイトを超えるファイルを拒否する。");
  const { evidence, hits } = await found("プレーヤー", store);
  expect(hits).toEqual([]);
  expect(evidence?.subject.rareWords).toBeLessThan(0.3);
});

test("LEARN-11: a description of one sentence is hardly a description", async () => {
  const store = storeOf(30, "Leap days need the strict calendar mode of the date parser.");
  const of = async (description: string): Promise<number> =>
    (await asked({ ...textQuery("Imports"), description }, store)).evidence?.subject.described ?? 0;
  const words = Array.from({ length: 60 }, (_, at) => `harbour${at}`).join(" ");
  expect(await of("")).toBe(0);
  expect(await of("Seen by three customers.")).toBeLessThan(0.2);
  expect(await of(words)).toBe(1);
});

test("LEARN-11: function words that task and lesson share are no similarity", async () => {
  const lesson = "There should not be any other walrus in the same harbour, because they are then fed twice.";
  const similarityOf = ({ evidence }: SearchResult): number => evidence?.subject.similarity ?? 0;
  const grammar = await found("There should not be any gutter that they are then", storeOf(30, lesson));
  const content = await found("Walrus fed twice in the harbour", storeOf(30, lesson));
  expect(similarityOf(grammar)).toBeLessThan(0.1);
  expect(similarityOf(content)).toBeGreaterThan(0.3);
});

test("LEARN-11: a pair of characters across the border of two words is not an unknown word", async () => {
  const store = storeOf(30, "订单在北京时间零点分组。");
  const { evidence } = await found("日报凌晨订单", store);
  // Two of six characters are known, so four are not.
  expect(evidence?.subject.unknown).toBeGreaterThan(0.5);
  expect(evidence?.subject.unknown).toBeLessThan(0.75);
  expect((await found("日报的订单", store)).evidence?.subject.unknown).toBeLessThan(0.55);
});

test("LEARN-11: one part of an unknown compound is less evidence than the word itself", async () => {
  const rarityOf = async (task: string): Promise<number> =>
    (await found(task, storeOf(30, "Der Kalender zeigt nur volle Stunden."))).evidence?.subject.rareWords ??
    0;
  expect(await rarityOf("Feiertagskalender")).toBeLessThan(0.6 * (await rarityOf("Kalender")));
});

test("LEARN-11: a name that many lessons have is no exact evidence", async () => {
  const common = Array.from(
    { length: 30 },
    (_, at) => `Table t${at} has the column created_at in zone ${at}.`,
  );
  const { hits, silenced } = await found("Rotate logs by created_at", storeOf(100, ...common));
  expect([...hits, ...silenced].filter(({ fit }) => fit?.exact)).toEqual([]);
});

test("LEARN-11: each lesson is decided separately: beside a clearly better one a weak one is left out", async () => {
  const fits = "Leap days need UTC in the date parser.";
  const weak = "The date picker of the report is narrow.";
  const alone = await found("Make the date parser accept leap days", storeOf(30, fits, weak));
  expect(idsOf(alone)).toEqual(["l-0"]);
  expect(alone.silenced.map(({ document }) => document.id)).toContain("l-1");
  const equal = "The date parser reads leap days of years before 1900 wrongly.";
  expect(idsOf(await found("Make the date parser accept leap days", storeOf(30, fits, equal)))).toHaveLength(
    2,
  );
});

test("LEARN-4: what a learning came up at is as good as its own words, for a task that is like it", async () => {
  const lesson = {
    id: "l-1",
    title: "Round half to even in cents",
    context: "Basket total with two vouchers",
  };
  expect(idsOf(await found("Basket total with three vouchers", [sampleDocument(lesson)]))).toEqual(["l-1"]);
});

test("LEARN-11 PROMPT-4: the best silenced lesson has a probability, and is listed", async () => {
  const result = await found("Rate limits for the public search endpoint", storeOf(30));
  expect(result).toMatchObject({ hits: [], abstained: true });
  expect(result.silenced[0]?.fit?.probability).toBeLessThan(0.2);
});

test("LEARN-11: a long lesson has to be more probable than a short one to be shown beside another", () => {
  const beside = { exact: null, line: thresholds.line, first: false };
  expect(isShown(0.9, { ...beside, cost: 0.8 })).toBe(true);
  expect(isShown(0.9, { ...beside, cost: 1.5 })).toBe(false);
  expect(isShown(0.9, { ...beside, cost: 1.5, first: true })).toBe(true);
  expect(isShown(thresholds.subject / 2, { ...beside, cost: 0.8, first: true })).toBe(false);
});
