import { fileURLToPath } from "node:url";
import { createAgent } from "../../agents/agents.ts";
import type { Agent, AgentSetup } from "../../agents/port/agent.ts";
import { pricedAgent, type UnpricedSession } from "../../agents/priced-agent.ts";
import { RalphError } from "../../base/errors.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { Settings } from "../../config/settings.ts";

type DefaultPermission = AgentSetup["defaultPermission"];

interface AgentChoice {
  readonly defaultPermission?: DefaultPermission;
  /** Receives the sessions whose cost is unknown. */
  readonly onUnpriced?: (session: UnpricedSession) => void;
}

/**
 * Returns the agents that the settings name, in their order.
 *
 * @throws RalphError `RALPH_AGENT_*`
 */
export function chooseAgents(settings: Settings, choice: AgentChoice = {}): readonly [Agent, ...Agent[]] {
  const [first, ...rest] = settings.agent.map((name) => configuredAgent(settings, name, choice));
  if (!first) {
    throw new RalphError("RALPH_AGENT_UNKNOWN", "no agent is configured", {
      hint: "run `ralph run --agent claude`",
    });
  }
  return [first, ...rest];
}

/**
 * Returns the agent called `name`, configured by its settings.
 *
 * @throws RalphError `RALPH_AGENT_*`
 */
export function configuredAgent(
  settings: Settings,
  name: string,
  { defaultPermission = "edit", onUnpriced }: AgentChoice = {},
): Agent {
  const tools = settings.mcp.enabled ? ownServer(settings, name) : null;
  const setup = { tools, readOnly: false, env: childEnvironment(), defaultPermission };
  const agent = createAgent(name, settings.agents, setup);
  return pricedAgent(agent, settings.prices, onUnpriced);
}

/**
 * Returns the agent called `name`, read-only and without ralph's tools: for sessions that only answer untrusted text.
 * `mayRead`: it reads the files of its folder.
 */
export function readOnlyAgent(
  settings: Settings,
  name: string,
  { mayRead = false }: Pick<AgentSetup, "mayRead"> = {},
): Agent {
  const agent = createAgent(name, settings.agents, {
    ...{ tools: null, readOnly: true, env: childEnvironment(), defaultPermission: "edit" as const, mayRead },
  });
  return pricedAgent(agent, settings.prices);
}

/** Returns the command of `ralph mcp` for the agent called `name`, run by this installation. */
function ownServer({ memory }: Settings, name: string): readonly [string, ...string[]] {
  // Relative to dist/, where the bundle runs, not to this file.
  const program = fileURLToPath(new URL("../bin/ralph.js", import.meta.url));
  return [process.execPath, program, "mcp", "--agent", name, ...(memory.enabled ? [] : ["--no-memory"])];
}
