import { isObject, type JsonObject } from "../../base/json.ts";
import { array, object, text } from "../formats/json-events.ts";
import type { RpcAnswer, RpcClient } from "../formats/json-rpc-client.ts";
import { authRequired } from "./acp-failure.ts";

/** The version of the protocol. */
export const protocolVersion = 1;

/** The parameters of `initialize`. */
export const beginning: JsonObject = {
  protocolVersion,
  // No file system and no terminal of ralph's: the agent uses its own, so that its own checks apply.
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    session: { compaction: {}, notices: {}, configOptions: {} },
  },
  clientInfo: { name: "ralph", title: "ralph", version: "1" },
};

/** Words of a way to log in that needs no person: a key that is stored or in the environment. */
const byKey = /key|token|env|config/i;

/**
 * Opens a session. Some agents (Cline) answer that only after `authenticate`, although a key is there; a way that opens a browser is
 * not taken. `begun`: the answer to `initialize`.
 */
export async function openSession(
  client: RpcClient,
  params: JsonObject,
  begun: JsonObject,
): Promise<RpcAnswer> {
  const created = await client.call("session/new", params);
  if (created.ok || created.error.code !== authRequired) return created;
  const ways = array(begun["authMethods"]).filter(isObject);
  const way = ways.find((one) => byKey.test(`${text(one["id"])} ${text(one["name"])}`));
  const methodId = text(object(way)["id"]);
  if (methodId === null || !(await client.call("authenticate", { methodId })).ok) return created;
  return await client.call("session/new", params);
}
