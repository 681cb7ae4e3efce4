import { RalphError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { AgentSettings } from "../base/shared-settings.ts";
import { acpAgent, geminiAgent, opencodeAgent } from "./acp/acp-agent.ts";
import { claudeAgent } from "./claude/claude-agent.ts";
import { codexAgent } from "./codex/codex-agent.ts";
import { commandAgent } from "./command/command-agent.ts";
import { piAgent } from "./pi/pi-agent.ts";
import type { Agent, AgentSetup } from "./port/agent.ts";
import { knownAcpAgent, knownAcpAgents } from "./port/known-acp-agents.ts";

type AgentName = keyof AgentSettings;
type Adapters = {
  readonly [Name in AgentName]: (settings: AgentSettings[Name], setup: AgentSetup) => Agent;
};

const adapters: Adapters = {
  claude: claudeAgent,
  codex: codexAgent,
  gemini: geminiAgent,
  opencode: opencodeAgent,
  pi: piAgent,
  acp: acpAgent,
  command: commandAgent,
};

/** The names that `createAgent` knows. */
export const agentNames: readonly string[] = Object.keys(adapters);

/** Creates the agent called `name` by its settings. Throws RALPH_AGENT_UNKNOWN, RALPH_AGENT_PERMISSION, RALPH_AGENT_ARGV. */
export function createAgent(name: string, settings: AgentSettings, setup: AgentSetup): Agent {
  if (isAgentName(name)) return create(name, settings, setup);
  const known = knownAcpAgent(name);
  const others = knownAcpAgents.map((one) => one.name).join(", ");
  const meant = nearest(name, agentNames);
  throw new RalphError("RALPH_AGENT_UNKNOWN", `unknown agent "${name}"`, {
    hint: known
      ? acpHint(known)
      : meant
        ? `did you mean "${meant}"?`
        : `use one of ${agentNames.join(", ")}; \`ralph init --agent\` also sets up ${others}`,
  });
}

function acpHint({ name, argv }: NonNullable<ReturnType<typeof knownAcpAgent>>): string {
  return `${name} speaks the Agent Client Protocol: set agent: acp and agents.acp.argv: ${JSON.stringify(argv)} (\`ralph init --agent ${name}\` does that)`;
}

function create<Name extends AgentName>(name: Name, settings: AgentSettings, setup: AgentSetup): Agent {
  return adapters[name](settings[name], setup);
}

function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(adapters, name);
}
