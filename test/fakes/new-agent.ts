import { createAgent } from "../../src/agents/agents.ts";
import type { Agent, AgentSetup } from "../../src/agents/port/agent.ts";
import type {
  AcpSettings,
  AgentSettings,
  CommandSettings,
  KnownAgentSettings,
} from "../../src/base/shared-settings.ts";
import { fakeEnv } from "./fake.ts";

const unset = { model: null, tiers: null, extraArgs: [], program: null };

/** Settings of every agent with nothing set. */
export const plainSettings: AgentSettings = {
  claude: { ...unset, permission: null },
  codex: { ...unset, permission: null },
  gemini: { ...unset, permission: null },
  opencode: { ...unset, permission: null },
  pi: { ...unset, permission: null },
  acp: { ...unset, permission: null, argv: null },
  command: { ...unset, argv: null, format: "text" },
};

export const plainSetup: AgentSetup = {
  tools: null,
  readOnly: false,
  env: fakeEnv,
  defaultPermission: "edit",
};

type Changes<Settings> = Partial<Settings & AgentSetup>;

function setupOf({ env = fakeEnv, tools = null, readOnly = false }: Partial<AgentSetup>): AgentSetup {
  return { env, tools, readOnly, defaultPermission: "edit" };
}

export function newClaude(changes: Changes<KnownAgentSettings> = {}): Agent {
  const claude = { ...plainSettings.claude, ...changes };
  return createAgent("claude", { ...plainSettings, claude }, setupOf(changes));
}

export function newCommand(changes: Changes<CommandSettings>): Agent {
  const command = { ...plainSettings.command, ...changes };
  return createAgent("command", { ...plainSettings, command }, setupOf(changes));
}

export function newAcp(changes: Changes<AcpSettings>): Agent {
  const acp = { ...plainSettings.acp, ...changes };
  return createAgent("acp", { ...plainSettings, acp }, setupOf(changes));
}

/** An agent whose program ralph knows. */
export function newKnown(
  name: "codex" | "gemini" | "opencode" | "pi",
  changes: Changes<KnownAgentSettings> = {},
): Agent {
  const settings = { ...plainSettings[name], ...changes };
  return createAgent(name, { ...plainSettings, [name]: settings }, setupOf(changes));
}
