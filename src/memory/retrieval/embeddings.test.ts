import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { sampleDocument } from "../../../test/temp-documents.ts";
import { type EmbeddingEndpoint, fuseByMeaning } from "./embeddings.ts";
import { queryOfText } from "./query.ts";
import type { Hit } from "./search.ts";

const parts = { words: 1, title: 0, pairs: 0, grams: 0, files: 0, error: 0, tasks: 0, labels: 0, recency: 0 };
const hits: readonly Hit[] = ["cat", "dog", "car"].map((title, at) => ({
  document: sampleDocument({ id: title, title }),
  score: 3 - at,
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

test("LEARN-4: an embedding endpoint is asked once and its ranking fused with that by words", async () => {
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
          [1, 0.1],
        ]),
      );
    });
  });
  const fused = await fuseByMeaning(hits, queryOfText("vehicle"), by);
  // cat is first and last, dog second twice, car last and first.
  expect(fused.hits.map(({ document }) => document.id)).toEqual(["cat", "car", "dog"]);
  expect([...fused.places.values()]).toEqual([3, 1, 2]);
  expect(asked).toEqual({ model: "m", input: ["vehicle", "cat\n", "dog\n", "car\n"], auth: "Bearer k" });
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
    const fused = await fuseByMeaning(hits, queryOfText("vehicle"), by);
    expect(fused.hits).toBe(hits);
    expect(fused.problem).toMatch(/^127\.0\.0\.1:\d+: \S/);
  },
);

test("LEARN-4: an embedding endpoint that is not there changes nothing", async () => {
  const by = await endpoint(answer("{}"));
  const { port } = new URL(by.url);
  await closeAll();
  expect(await fuseByMeaning(hits, queryOfText("vehicle"), by)).toMatchObject({
    hits,
    problem: `127.0.0.1:${port}: ECONNREFUSED`,
  });
  const odd = await fuseByMeaning(hits, queryOfText("vehicle"), { ...by, url: "http://127.0.0.1:9/v1" });
  expect(odd.problem).toBe("127.0.0.1:9: bad port");
  expect(await fuseByMeaning(hits, queryOfText("vehicle"), null)).toMatchObject({ hits, problem: null });
});

test("LEARN-4, TRUST-1: what leaves the machine has no secrets in it", async () => {
  let asked = "";
  const by = await endpoint(async (request, response) => {
    for await (const piece of request) asked += piece;
    response.end(embedding([[1], [1], [1], [1]]));
  });
  const key = `ghp_${"q7Rw2Zk9Xv4Tn8Lp3Bs6Hd1Mf5Gc0JyAuEiW"}`;
  await fuseByMeaning(hits, { ...queryOfText(`push with ${key}`), lastError: `denied: ${key}` }, by);
  expect(asked).toContain("push with");
  expect(asked).toContain("denied");
  expect(asked).not.toContain(key);
});
