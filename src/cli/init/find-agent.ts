import type { AgentProbe } from "../../agents/agent.ts";
import { agentNames } from "../../agents/agents.ts";
import { RalphError } from "../../base/errors.ts";
import type { Settings } from "../../config/settings.ts";
import { configuredAgent } from "../run/choose-agents.ts";

/** An agent for the new configuration with its probe; null when it has no program to probe yet. */
export interface FoundAgent {
  readonly name: string;
  readonly probe: AgentProbe | null;
}

/**
 * Returns the agent to configure: the requested one, otherwise the first installed one of the settings and then of all
 * known agents, otherwise the first of the settings.
 *
 * @throws RalphError `RALPH_AGENT_UNKNOWN` for an unknown name
 */
export async function findAgent(settings: Settings, wanted: string | null): Promise<FoundAgent> {
  const names = wanted === null ? [...new Set([...settings.agent, ...agentNames])] : [wanted];
  let first: FoundAgent | undefined;
  for (const name of names) {
    const found = { name, probe: await probeAgent(settings, name) };
    if (found.probe?.found) return found;
    first ??= found;
  }
  return first ?? { name: "claude", probe: null };
}

async function probeAgent(settings: Settings, name: string): Promise<AgentProbe | null> {
  try {
    return await configuredAgent(settings, name).probe();
  } catch (error) {
    // `command` without a configured program.
    if (error instanceof RalphError && error.code === "RALPH_AGENT_ARGV") return null;
    throw error;
  }
}
