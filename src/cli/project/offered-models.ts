import type { Agent } from "../../agents/port/agent.ts";
import { notOffered } from "../../agents/port/model-offer.ts";
import { RalphError } from "../../base/errors.ts";
import { settingsOf } from "../../base/shared-settings.ts";
import type { Settings } from "../../config/settings.ts";
import type { Project } from "../shell/command.ts";
import { configuredAgent } from "./choose-agents.ts";

interface Unoffered {
  /** `does not offer the model "sonet"`. */
  readonly what: string;
  readonly hint: string;
}

const maxShown = 8;

/** Returns the models in the settings that the agent does not offer; none where it cannot be asked, or need not. */
export async function unofferedModels(
  agent: Agent,
  settings: Settings,
  root: string,
): Promise<readonly Unoffered[]> {
  const named = namedModels(settings, agent.name);
  if (named.length === 0 || !agent.models || agent.models.sessionsRefuse) return [];
  const offer = await agent.models.ask(root);
  if (!offer) return [];
  return named.flatMap((tier) => {
    const found = notOffered(tier, offer);
    if (!found) return [];
    const more = found.offered.length > maxShown ? ", …" : "";
    const list = found.offered.slice(0, maxShown).join(", ");
    const meant = found.nearest === null ? `it offers ${list}${more}` : `did you mean ${found.nearest}?`;
    return [{ what: found.what, hint: `${meant} \`ralph models ${agent.name}\` lists what it offers` }];
  });
}

/**
 * Asks the agents whose models the settings name, all at once.
 *
 * @throws RalphError `RALPH_AGENT_MODEL` for one that its agent does not offer
 */
export async function refuseUnoffered({ root, loaded: { settings } }: Project): Promise<void> {
  const names = new Set([
    ...settings.agent,
    ...(settings.review.agent === null ? [] : [settings.review.agent]),
  ]);
  const agents = [...names].map((name) => configuredAgent(settings, name));
  const found = await Promise.all(
    agents.map(async (agent) => ({ agent, all: await unofferedModels(agent, settings, root) })),
  );
  for (const { agent, all } of found)
    for (const { what, hint } of all)
      throw new RalphError("RALPH_AGENT_MODEL", `${agent.name} ${what}`, { hint });
}

/** The models that a person named for the agent. The first agent has those that name no agent. */
function namedModels(
  { agent: [first], agents, model, review, learnings }: Settings,
  name: string,
): readonly string[] {
  const own = settingsOf(agents, name);
  const named = [
    ...(own?.tiers ?? []),
    own?.model,
    ...(name === first ? [model, learnings.extractModel] : []),
    ...(name === review.agent ? [review.model] : []),
  ];
  return [...new Set(named)].filter((one): one is string => typeof one === "string");
}
