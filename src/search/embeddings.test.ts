import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { sampleDocument, sourceOf } from "../../test/temp-documents.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { messageOf } from "../base/errors.ts";
import type { Db } from "../store/db.ts";
import type { SearchDocument } from "./document.ts";
import type { EmbeddingEndpoint } from "./embeddings.ts";
import { addDocuments } from "./index-documents.ts";
import { openMeaning } from "./meaning.ts";
import { type SearchQuery, textQuery } from "./query.ts";
import { rerankByMeaning } from "./rerank-by-meaning.ts";
import { type SearchHit, search } from "./search.ts";

let emptyStore: Promise<Db> | undefined;

afterEach(() => {
  emptyStore = undefined;
});

/** Reorders hits by what an endpoint answers, in a store without vectors. */
async function rerankByEmbedding(
  hits: readonly SearchHit[],
  query: SearchQuery,
  endpoint: EmbeddingEndpoint,
  weight?: number,
) {
  emptyStore ??= openTempStore();
  const db = await emptyStore;
  const meaning = openMeaning(endpoint);
  let problem: string | null = null;
  const cosinesOf = (documents: readonly SearchDocument[]) =>
    meaning.requested(db, query, documents).catch((error: unknown) => {
      problem = messageOf(error);
      return null;
    });
  const result = await rerankByMeaning({ hits, cosinesOf, weight });
  return { ...result, problem };
}

const parts = { words: 1, title: 0, pairs: 0, grams: 0, files: 0, error: 0, tasks: 0, labels: 0, recency: 0 };
const hits: readonly SearchHit[] = ["cat", "dog", "car", "cow"].map((title, at) => ({
  document: sampleDocument({ id: title, title }),
  score: 4 - at,
  parts,
}));

const servers: Server[] = [];

afterEach(closeAll);

async function closeAll(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

async function endpoint(listener: RequestListener): Promise<EmbeddingEndpoint> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1/embeddings`, model: "m", key: "k", timeoutMs: 2000 };
}

const answer =
  (body: string, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body);
  };

const embedding = (vectors: readonly unknown[]): string =>
  JSON.stringify({ data: vectors.map((vector, index) => ({ index, embedding: vector })).reverse() });

test("LEARN-4: an embedding endpoint is asked once and its cosines are added to the scores by words", async () => {
  let asked: unknown;
  const by = await endpoint((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      asked = { ...JSON.parse(body), auth: request.headers.authorization };
      response.end(
        embedding([
          [1, 0],
          [0, 1],
          [0.1, 1],
          [0.1, 1],
          [1, 0.1],
        ]),
      );
    });
  });
  const fused = await rerankByEmbedding(hits, textQuery("vehicle"), by);
  // By words 1, 3/4, 1/2 and 1/4; by meaning the last one gains half: it passes the third.
  expect(fused.hits.map(({ document }) => document.id)).toEqual(["cat", "dog", "cow", "car"]);
  expect(hits.map((hit) => fused.ranks.get(hit))).toEqual([4, 2, 3, 1]);
  const input = ["vehicle", "cat\n", "dog\n", "car\n", "cow\n"];
  expect(asked).toEqual({ model: "m", input, auth: "Bearer k" });
});

test("LEARN-4: the endpoint is not asked for an order that no vectors could change", async () => {
  let requests = 0;
  const by = await endpoint((_, response) => {
    requests += 1;
    response.end(embedding([[1], [1], [1], [1], [1]]));
  });
  const vehicle = textQuery("vehicle");
  const apart = hits.map((hit, at) => ({ ...hit, score: 4 ** -at }));
  const errors = hits.map((hit, at) => ({ ...hit, parts: { ...parts, error: at } }));
  for (const list of [hits.slice(0, 3), apart.slice(0, 2).concat(apart.slice(0, 1)), errors]) {
    expect((await rerankByEmbedding(list, vehicle, by)).hits).toBe(list);
  }
  expect((await rerankByEmbedding(hits, vehicle, by, 0.2)).hits).toBe(hits);
  expect(requests).toBe(0);
  await rerankByEmbedding(hits, vehicle, by, 0.3);
  expect(requests).toBe(1);
});

/** Lessons, each with a task that it fits. The tests of the project are in all of them, so that all are found. */
const lessons: readonly (readonly [lesson: string, task: string])[] = [
  ["The date parser needs UTC, or leap days fail in the tests.", "Parse leap days in the date parser"],
  [
    "Queues are drained before the mailer restarts, or mails go out twice.",
    "Restart the mailer queue safely",
  ],
  ["Migrations run inside one transaction; a second connection deadlocks.", "Write a migration transaction"],
  ["The router strips trailing slashes before it matches a route.", "Match a route with trailing slashes"],
  ["Snapshot tests of the widget need the fonts to be loaded first.", "Fix the widget snapshot tests"],
  ["The cache key has to include the locale, or translations leak.", "Add the locale to the cache key"],
  ["Retries of the payment client must reuse the idempotency key.", "Retry the payment client on failure"],
  ["Uploads larger than a part are streamed, never buffered in memory.", "Stream large uploads in parts"],
  ["The linter reads its rules from the workspace root alone.", "Move the linter rules of the workspace"],
  ["Search pages start at one while the API offsets start at zero.", "Correct search API page offsets"],
];

const lessonDocuments = lessons.map(([title], at) =>
  sampleDocument({ id: `${at}`, title, body: "Seen in the tests of the project." }),
);

/** Numbers between -1 and 1 that follow from a text and a seed and mean nothing. */
function noise(text: string, seed: number): readonly number[] {
  let state = seed;
  for (const char of text) state = (Math.imul(state, 31) + char.charCodeAt(0)) | 0;
  return Array.from({ length: 8 }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    return state / 2 ** 31;
  });
}

/** The ids of what is found for a text, best first, by words alone and with the vectors of `vectorOf`. */
async function foundBy(vectorOf: (text: string) => readonly number[]) {
  const db = await openTempStore();
  await db.transaction((tx) => addDocuments(tx, lessonDocuments));
  const by = await endpoint(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { input } = JSON.parse(body) as { readonly input: readonly string[] };
    response.end(embedding(input.map(vectorOf)));
  });
  return async (text: string): Promise<{ words: string[]; fused: string[] }> => {
    const query = textQuery(text);
    const request = {
      query,
      sources: [sourceOf(lessonDocuments)],
      limit: 0,
      now: new Date(),
      abstain: false,
    };
    const found = (await search(db, { ...request, recency: false })).hits;
    const ids = (list: readonly SearchHit[]): string[] => list.map(({ document }) => document.id);
    return { words: ids(found), fused: ids((await rerankByEmbedding(found, query, { ...by })).hits) };
  };
}

test("LEARN-4: an embedding model that knows nothing pushes no fitting lesson out of the first three", async () => {
  let seed = 0;
  const find = await foundBy((text) => noise(text, seed));
  const lost: string[] = [];
  let moved = 0;
  for (seed = 1; seed <= 8; seed++) {
    for (const [at, [, task]] of lessons.entries()) {
      const { words, fused } = await find(`${task}, with tests in the project`);
      expect(words.length).toBeGreaterThan(5);
      expect(words[0]).toBe(`${at}`);
      if (!fused.slice(0, 3).includes(`${at}`)) lost.push(`${task}, seed ${seed}`);
      if (fused.join() !== words.join()) moved += 1;
    }
  }
  expect(lost).toEqual([]);
  expect(moved).toBeGreaterThan(0);
});

test("LEARN-4: a cosine counts when it stands out from the others, and a known fix stays first", async () => {
  const scores = [3, 2.9, 2.8, 2.7, 2.6, 2.5];
  const close = scores.map((score, at): SearchHit => {
    const document = sampleDocument({ id: `${at}`, title: `lesson ${at}` });
    return { document, score, parts };
  });
  const order = async (list: readonly SearchHit[], cosines: readonly number[]): Promise<string> => {
    const vectors = [1, ...cosines].map((x) => [x, Math.sqrt(1 - x * x)]);
    const by = await endpoint(answer(embedding(vectors)));
    const { hits: ordered } = await rerankByEmbedding(list, textQuery("vehicle"), by);
    return ordered.map(({ document }) => document.id).join("");
  };
  // Close to each other, as the cosines of many models are: only the last one is clearly above the others.
  const [apart, alike] = [
    [0.8, 0.81, 0.79, 0.8, 0.82, 0.9],
    [0.8, 0.81, 0.79, 0.8, 0.82, 0.83],
  ];
  expect(await order(close, apart)).toBe("501234");
  expect(await order(close, alike)).toBe("012345");
  const fix = close.map((hit, at) => (at === 0 ? { ...hit, parts: { ...parts, error: 60 } } : hit));
  expect(await order(fix, apart)).toBe("051234");
});

test("LEARN-4: a model that the record gives no weight is not asked", async () => {
  let requests = 0;
  const by = await endpoint((_, response) => {
    requests += 1;
    response.end(embedding([[1], [1], [1], [1]]));
  });
  const { hits: ordered, problem } = await rerankByEmbedding(hits, textQuery("vehicle"), by, 0);
  expect([ordered, problem, requests]).toEqual([hits, null, 0]);
});

test("LEARN-4: a good embedding model moves a lesson ahead that fits about as well by words", async () => {
  // By meaning a language is a locale.
  const find = await foundBy((text) => (/language|locale/.test(text) ? [1, 0] : [0, 1]));
  const { words, fused } = await find("Use the right key for each language in the tests of the project");
  expect(words.slice(0, 2)).toEqual(["6", "5"]);
  expect(fused[0]).toBe("5");
});

test.each([
  ["an error", answer("{}", 500)],
  ["no JSON", answer("<html>")],
  ["too few vectors", answer(embedding([[1]]))],
  ["vectors of no numbers", answer(embedding([["a"], [1], [null], [2]]))],
  ["vectors of different lengths", answer(embedding([[1], [1, 2], [1], [1]]))],
  ["an endless answer", (_, response) => void response.write("[")],
  ["silence", () => undefined],
] satisfies readonly (readonly [string, RequestListener])[])(
  "LEARN-4: an embedding endpoint that gives %s changes nothing",
  async (_, listener) => {
    const by = { ...(await endpoint(listener)), timeoutMs: 300 };
    const fused = await rerankByEmbedding(hits, textQuery("vehicle"), by);
    expect(fused.hits).toBe(hits);
    expect(fused.problem).toMatch(/^127\.0\.0\.1:\d+: \S/);
  },
);

test("LEARN-4: an embedding endpoint that is not there changes nothing", async () => {
  const by = await endpoint(answer("{}"));
  const { port } = new URL(by.url);
  await closeAll();
  expect(await rerankByEmbedding(hits, textQuery("vehicle"), by)).toMatchObject({
    hits,
    problem: `127.0.0.1:${port}: ECONNREFUSED`,
  });
  const odd = await rerankByEmbedding(hits, textQuery("vehicle"), { ...by, url: "http://127.0.0.1:9/v1" });
  expect(odd.problem).toBe("127.0.0.1:9: bad port");
});

test("LEARN-4, TRUST-1: what leaves the machine has no secrets in it, and no error output", async () => {
  let asked = "";
  const by = await endpoint(async (request, response) => {
    for await (const piece of request) asked += piece;
    response.end(embedding([[1], [1], [1], [1], [1]]));
  });
  const key = `ghp_${"q7Rw2Zk9Xv4Tn8Lp3Bs6Hd1Mf5Gc0JyAuEiW"}`;
  await rerankByEmbedding(hits, { ...textQuery(`push with ${key}`), lastError: "denied" }, by);
  expect(asked).toContain("push with");
  expect(asked).not.toContain("denied");
  expect(asked).not.toContain(key);
});
