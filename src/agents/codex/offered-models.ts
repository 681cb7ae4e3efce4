import { array, object, text } from "../formats/json-events.ts";
import type { RpcClient } from "../formats/json-rpc-client.ts";
import { type ModelOffer, offered } from "../port/model-offer.ts";
import { askByRpc } from "../session/ask-program.ts";

/** Asks Codex for its models: no request is made. */
export async function codexModels(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<ModelOffer | null> {
  return await askByRpc({ argv, cwd, env }, (client) => ask(client, cwd));
}

async function ask(client: RpcClient, cwd: string): Promise<ModelOffer | null> {
  const clientInfo = { name: "ralph", title: "ralph", version: "1" };
  if (!(await client.call("initialize", { clientInfo })).ok) return null;
  client.notify("initialized", {});
  const list = await client.call("model/list", { includeHidden: true });
  if (!list.ok) return null;
  const read = await client.call("config/read", { includeLayers: false, cwd });
  const config = object(read.ok ? read.result["config"] : undefined);
  const own = text(config["model"]);
  const listed = array(list.result["data"]).map(object);
  const models = listed.flatMap((one) => {
    const name = text(one["model"]) ?? text(one["id"]);
    if (name === null) return [];
    const efforts = array(one["supportedReasoningEfforts"]).map((level) =>
      text(object(level)["reasoningEffort"]),
    );
    const isDefault = own === null ? one["isDefault"] === true : own === name;
    return [offered(name, { efforts: efforts.filter((level) => level !== null), isDefault })];
  });
  const provider = text(config["model_provider"]) ?? "openai";
  return models.length === 0 ? null : { models, mayTake: () => !read.ok || provider !== "openai" };
}
