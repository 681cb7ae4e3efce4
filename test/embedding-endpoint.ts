import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { EmbeddingEndpoint } from "../src/search/embeddings.ts";

/** What an endpoint of a test does: answers with vectors, with an HTTP status, or not at all. */
type Behaviour = ((text: string) => readonly number[]) | number | "hangs";

export interface FakeEndpoint {
  readonly by: EmbeddingEndpoint;
  /** The texts of each request so far. */
  readonly inputs: (readonly string[])[];
  /** Changes what it does from the next request on. */
  behave(behaviour: Behaviour): void;
}

/** Starts an endpoint for embeddings on this machine, until the end of the test. */
export async function fakeEndpoint(first: Behaviour): Promise<FakeEndpoint> {
  let behaviour = first;
  const inputs: (readonly string[])[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { input } = JSON.parse(body) as { readonly input: readonly string[] };
    inputs.push(input);
    if (behaviour === "hangs") return;
    if (typeof behaviour === "number") response.writeHead(behaviour).end("{}");
    else {
      const vectorOf = behaviour;
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
      response.end(JSON.stringify({ data }));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const by = { url: `http://127.0.0.1:${port}/v1/embeddings`, model: "m", key: null, timeoutMs: 2000 };
  return {
    by,
    inputs,
    behave: (next) => {
      behaviour = next;
    },
  };
}
