import type { RpcClient } from "../formats/json-rpc-client.ts";
import { type ModelOffer, offered } from "../port/model-offer.ts";
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
  const choice = created.ok ? choiceOf(created.result, "model") : null;
  if (!created.ok || !choice) return null;
  const efforts = choiceOf(created.result, "thought_level")?.values ?? null;
  // The options are those of the session's model.
  const models = choice.values.map((name) =>
    name === choice.current ? offered(name, { efforts, isDefault: true }) : offered(name),
  );
  return { models, mayTake: () => true };
}
