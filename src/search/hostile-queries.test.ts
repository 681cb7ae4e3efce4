import { expect, test } from "vitest";
import { sampleDocument, sourceOf } from "../../test/temp-documents.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { addDocuments } from "./index-documents.ts";
import { textQuery } from "./query.ts";
import { type SearchResult, search } from "./search.ts";
import { tokenize } from "./tokenize.ts";

const now = new Date("2026-02-01T00:00:00.000Z");

const documents = [
  sampleDocument({ id: "ts", title: "error TS2345: not assignable", body: "widen the type of the argument" }),
  sampleDocument({ id: "rust", title: "E0308 mismatched types", body: "return Ok(()) at the end" }),
  sampleDocument({ id: "stack", title: "Login fails", body: "at handleLogin (src/auth/login-form.ts:42:7)" }),
  sampleDocument({ id: "cjk", title: "データベースの移行", body: "错误处理 需要 事务" }),
  sampleDocument({
    id: "snake",
    title: "retry_with_backoff sleeps twice",
    body: "HTTPServerError is retried",
  }),
  sampleDocument({ id: "emoji", title: "🦜 says nothing", body: "e\u0301clair naïve" }),
];

async function finder(): Promise<(text: string, abstain?: boolean) => Promise<SearchResult>> {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (const document of documents) await addDocuments(tx, [document]);
  });
  const sources = [sourceOf(documents)];
  return (text, abstain = false) =>
    search(db, { query: textQuery(text), sources, limit: 5, now, recency: false, abstain });
}

test.each([
  ["TS2345", "ts"],
  ["E0308", "rust"],
  ["Error: at handleLogin (src/auth/login-form.ts:99:1)", "stack"],
  ["login form", "stack"],
  ["src/auth", "stack"],
  ["错误处理", "cjk"],
  ["移行", "cjk"],
  ["retryWithBackoff", "snake"],
  ["server error", "snake"],
  ["ywithbacko", "snake"],
  ["ECLAIR naive", "emoji"],
])("LEARN-4: %s finds %s", async (text, id) => {
  const find = await finder();
  expect((await find(text)).hits[0]?.document.id).toBe(id);
});

const hostile = [
  "",
  " \n\t",
  "\0",
  "'\"`;--",
  '"',
  '""""',
  "*",
  "a* OR b",
  "NEAR(login fails, 3)",
  "title:login",
  "retrieval_index MATCH 'x'",
  "-login",
  "NOT login AND (",
  "^login",
  "{title body}: login",
  "'; DROP TABLE retrieval_index; --",
  "%_%\\",
  "\ud800 lone \udfff",
  "🦜🦜🦜",
  "\u202eabc\u0000def",
  "ﷺ".repeat(50),
  "a".repeat(100_000),
  "_".repeat(100_000),
  "aB".repeat(50_000),
  "x ".repeat(500_000),
  Array.from({ length: 100_000 }, (_, at) => `word${at}`).join(" "),
  "错".repeat(100_000),
];

test("LEARN-4: no text breaks a search or an index, and the order is always the same", async () => {
  const find = await finder();
  for (const text of hostile) {
    const first = await find(text);
    expect(await find(text)).toEqual(first);
    expect(first.hits.length).toBeLessThanOrEqual(5);
  }
  const db = await openTempStore();
  const all = hostile.map((body, at) =>
    sampleDocument({ id: `h${at}'"`, scope: body.slice(0, 9), title: body, body }),
  );
  await db.transaction(async (tx) => {
    for (const document of all) await addDocuments(tx, [document]);
  });
  const { hits } = await search(db, {
    query: textQuery("login"),
    sources: [sourceOf(all)],
    limit: 3,
    now,
    abstain: false,
  });
  expect(hits.length).toBeGreaterThan(0);
});

test("LEARN-4: unrelated text finds nothing, a fitting task something", async () => {
  const find = await finder();
  const bread =
    "Bake the bread at two hundred degrees so that the crust gets its gloss: at the end steam fails";
  expect(await find(bread, true)).toMatchObject({ hits: [], abstained: true });
  expect((await find("retry_with_backoff sleeps twice", true)).hits[0]?.document.id).toBe("snake");
});

test("LEARN-4: identifiers are split, and kept whole", () => {
  expect(tokenize("parseHTTPConfig in my_file-name.ts")).toEqual({
    words: ["parsehttpconfig", "file", "name", "ts"],
    parts: ["pars", "http", "config", "parsehttpconfig", "file", "myfile"],
  });
});
