import { agentNames } from "../../../agents/agents.ts";
import type { AgentProbe } from "../../../agents/port/agent.ts";
import { knownAcpAgent, knownAcpAgents } from "../../../agents/port/known-acp-agents.ts";
import { defaultPermission, defaultSandbox } from "../../../agents/sandbox.ts";
import { RalphError } from "../../../base/errors.ts";
import type { Settings } from "../../../config/settings.ts";
import { safeText } from "../../../trust/safe-text.ts";
import { configuredAgent } from "../../project/choose-agents.ts";
import type { Session } from "../../shell/command.ts";

/** An agent for the new configuration with its probe; null when it has no program to probe yet. */
export interface FoundAgent {
  readonly name: string;
  /** The program and arguments to configure with it; absent: they need no setting. */
  readonly argv?: readonly string[];
  readonly probe: AgentProbe | null;
}

/**
 * Returns the agent to configure: the requested one, otherwise the first installed one of the settings and then of all
 * known agents, then one of the registry that speaks ACP, otherwise the first of the settings.
 *
 * @throws RalphError `RALPH_AGENT_UNKNOWN` for an unknown name
 */
export async function findAgent(settings: Settings, wanted: string | null): Promise<FoundAgent> {
  const asked = wanted === null ? null : knownAcpAgent(wanted);
  if (asked) return await probeAcp(settings, asked.argv);
  const names = wanted === null ? [...new Set([...settings.agent, ...agentNames])] : [wanted];
  let first: FoundAgent | undefined;
  for (const name of names) {
    const found = { name, probe: await probeAgent(settings, name) };
    if (found.probe?.found) return found;
    first ??= found;
  }
  const other = wanted === null ? await findAcpAgent(settings) : null;
  return other ?? first ?? { name: "claude", probe: null };
}

async function findAcpAgent(settings: Settings): Promise<FoundAgent | null> {
  const here = knownAcpAgents.map(async ({ argv }) => await probeAcp(settings, argv));
  return (await Promise.all(here)).find(({ probe }) => probe?.found) ?? null;
}

async function probeAcp(settings: Settings, argv: readonly string[]): Promise<FoundAgent> {
  const { agents } = settings;
  const probe = await probeAgent({ ...settings, agents: { ...agents, acp: { ...agents.acp, argv } } }, "acp");
  return { name: "acp", argv, probe };
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

/** The permission of agents that `ralph init` decided on. */
export interface AgreedPermission {
  readonly level: "edit" | "shell";
  /** False: the configuration must name it. */
  readonly isDefault: boolean;
}

/**
 * Returns what agents may do in a new project: any command where a sandbox binds. Without one a person may choose that on a
 * terminal; nobody else does (AGENT-4).
 */
export async function agreeOnPermission(
  session: Session,
  { sandbox }: Settings,
  { agent, yes }: { readonly agent: string; readonly yes: boolean },
): Promise<AgreedPermission> {
  const level = await defaultPermission(sandbox);
  if (level === "shell" || agent === "command" || yes || !session.canAsk) return { level, isDefault: true };
  const why =
    sandbox.level === "off"
      ? "the sandbox is off"
      : `there is no sandbox: ${(await defaultSandbox()).summary}`;
  const question = `May the agent run any command (${why})? Otherwise: edit, read, and verify. [y/N]`;
  const answer = await session.ask(safeText(question));
  return /^(?:y|yes)$/i.test(answer) ? { level: "shell", isDefault: false } : { level, isDefault: true };
}

/** Returns the lines that say what the permission means, and how to allow more. */
export function describePermission(
  permission: AgreedPermission | undefined,
  agent: string | undefined,
): readonly string[] {
  if (!permission || agent === undefined || agent === "command") return [];
  if (permission.level === "shell") return ["  may     edit files and run any command (permission shell)"];
  return [
    "  may     edit files, read, and run the verification; other commands are refused (permission edit)",
    process.platform === "linux"
      ? `          hint: get a sandbox (install bubblewrap, allow user namespaces), or set agents.${agent}.permission: shell, or list commands in \`allow\``
      : `          hint: only Linux has a sandbox; set agents.${agent}.permission: shell in a container, or list commands in \`allow\``,
  ];
}
