import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sampleDocument } from "../../../test/temp-documents.ts";
import { type EmbeddingEndpoint, fuseByMeaning } from "./embeddings.ts";
import type { Hit } from "./search.ts";

const parts = { words: 1, title: 0, pairs: 0, grams: 0, files: 0, error: 0, tasks: 0, labels: 0, recency: 0 };
const hits: readonly Hit[] = ["cat", "dog", "car"].map((title, at) => ({
  document: sampleDocument({ id: title, title }),
  score: 3 - at,
  parts,
}));

async function endpoint(listener: RequestListener): Promise<EmbeddingEndpoint> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
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
  const fused = await fuseByMeaning(hits, "vehicle", by);
  // cat is first and last, dog second twice, car last and first.
  expect(fused.map(({ document }) => document.id)).toEqual(["cat", "car", "dog"]);
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
    expect(await fuseByMeaning(hits, "vehicle", by)).toBe(hits);
  },
);

test("LEARN-4: an embedding endpoint that is not there changes nothing", async () => {
  const by = await endpoint(answer("{}"));
  const gone = { ...by, url: "http://127.0.0.1:1/v1/embeddings" };
  expect(await fuseByMeaning(hits, "vehicle", gone)).toBe(hits);
});
