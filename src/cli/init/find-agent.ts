import type { AgentProbe } from "../../agents/agent.ts";
import { agentNames } from "../../agents/agents.ts";
import { RalphError } from "../../base/errors.ts";
import type { Settings } from "../../config/settings.ts";
import { configuredAgent } from "../run/choose-agents.ts";

/** An agent for the new configuration, and what is there of it; null: nothing that could be looked for yet. */
export interface FoundAgent {
  readonly name: string;
  readonly probe: AgentProbe | null;
}

/**
 * The agent to configure: the one asked for, else the first of those in the settings and then of all known ones that
 * is on this machine, else the settings' first.
 *
 * @throws RalphError `RALPH_AGENT_UNKNOWN` for a name that is asked for or configured and not known.
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
    // `command` before anybody said what it runs.
    if (error instanceof RalphError && error.code === "RALPH_AGENT_ARGV") return null;
    throw error;
  }
}
