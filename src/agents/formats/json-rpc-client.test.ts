import { expect, test } from "vitest";
import { parseJson } from "../../base/json.ts";
import { jsonRpcClient } from "./json-rpc-client.ts";

function conversation() {
  const sent: unknown[] = [];
  const heard: unknown[] = [];
  const client = jsonRpcClient(
    { write: (text) => void sent.push(parseJson(text)) },
    {
      onRequest: (method, params) => (method === "ask" ? { given: params["x"] } : null),
      onNotification: (method, params) => void heard.push([method, params]),
    },
  );
  const receive = (message: unknown): void => client.line(JSON.stringify(message));
  return { client, sent, heard, receive };
}

test("AGENT-7: calls get their own answers, in any order; errors are answers too", async () => {
  const { client, sent, receive } = conversation();
  const answers = [client.call("a", { x: 1 }), client.call("b", {}), client.call("c", {})];
  expect(sent).toEqual([
    { jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 } },
    { jsonrpc: "2.0", id: 2, method: "b", params: {} },
    { jsonrpc: "2.0", id: 3, method: "c", params: {} },
  ]);
  receive({ id: 2, error: { code: 429, message: "slow down", data: { a: 1 } } });
  receive({ jsonrpc: "2.0", id: 1, result: { y: 2 } });
  receive({ jsonrpc: "2.0", id: 3, result: null });
  expect(await Promise.all(answers)).toEqual([
    { ok: true, result: { y: 2 } },
    { ok: false, error: { code: 429, message: "slow down", data: { a: 1 } } },
    { ok: true, result: {} },
  ]);
});

test("AGENT-7: requests of the agent are answered, unknown ones with an error, under the agent's own id", () => {
  const { sent, heard, receive } = conversation();
  receive({ jsonrpc: "2.0", id: "p1", method: "ask", params: { x: [1] } });
  receive({ jsonrpc: "2.0", id: 0, method: "terminal/create", params: {} });
  receive({ jsonrpc: "2.0", method: "update" });
  expect(sent).toEqual([
    { jsonrpc: "2.0", id: "p1", result: { given: [1] } },
    { jsonrpc: "2.0", id: 0, error: { code: -32601, message: "method not found: terminal/create" } },
  ]);
  expect(heard).toEqual([["update", {}]]);
});

test("AGENT-7: whatever else is on the agent's output is ignored", () => {
  const { client, sent, heard } = conversation();
  const lines = [
    "",
    "Loaded 3 extensions",
    "[1]",
    "null",
    '{"id":7,"result":{}}',
    '{"id":1,"error":7}',
    '{"jsonrpc',
  ];
  for (const line of lines) expect(() => client.line(line)).not.toThrow();
  expect([sent, heard]).toEqual([[], []]);
});

test("AGENT-7 TRUST-12: long names and ids are not repeated to the agent", () => {
  const { sent, receive } = conversation();
  const long = "m".repeat(100_000);
  receive({ id: 1, method: long });
  for (const id of [long, { id: long }, [long]]) receive({ id, method: "ask" });
  expect(sent).toHaveLength(1);
  expect(JSON.stringify(sent).length).toBeLessThan(400);
  expect(sent).toMatchObject([{ id: 1, error: { code: -32601 } }]);
});
