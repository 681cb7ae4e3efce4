import { RalphError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { Agent } from "./agent.ts";
import { claudeAgent } from "./claude/claude-agent.ts";
import { commandAgent } from "./command/command-agent.ts";
import type { AgentOptions } from "./session/agent-options.ts";

const factories: Readonly<Record<string, (options: AgentOptions) => Agent>> = {
  claude: claudeAgent,
  command: commandAgent,
};

/** The names that `createAgent` knows. */
export const agentNames: readonly string[] = Object.keys(factories);

/** Creates the agent called `name`. Throws RALPH_AGENT_UNKNOWN, RALPH_AGENT_PERMISSION, RALPH_AGENT_ARGV. */
export function createAgent(name: string, options: AgentOptions): Agent {
  const make = Object.hasOwn(factories, name) ? factories[name] : undefined;
  if (make) return make(options);
  const meant = nearest(name, agentNames);
  throw new RalphError("RALPH_AGENT_UNKNOWN", `unknown agent "${name}"`, {
    hint: meant ? `did you mean "${meant}"?` : `use one of ${agentNames.join(", ")}`,
  });
}
