import type { RpcClient } from "../formats/json-rpc-client.ts";
import type { ModelOffer } from "../port/model-offer.ts";
import { askByRpc } from "../session/ask-program.ts";
import { beginning, openSession } from "./acp-handshake.ts";
import { choiceOf } from "./session-options.ts";

/** Opens a session without a prompt and returns the models that it may have: no request is made. */
export async function acpModels(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<ModelOffer | null> {
  return await askByRpc({ argv, cwd, env }, (client) => ask(client, cwd));
}

async function ask(client: RpcClient, cwd: string): Promise<ModelOffer | null> {
  const begun = await client.call("initialize", beginning);
  if (!begun.ok) return null;
  const created = await openSession(client, { cwd, mcpServers: [] }, begun.result);
  const offered = created.ok ? choiceOf(created.result, "model") : null;
  if (!created.ok || !offered) return null;
  const efforts = choiceOf(created.result, "thought_level")?.values ?? null;
  const models = offered.values.map((name) => ({
    ...{ name, means: null, price: null, isDefault: name === offered.current },
    // The options are those of the session's model.
    efforts: name === offered.current ? efforts : null,
  }));
  return { models, mayTake: () => true };
}
