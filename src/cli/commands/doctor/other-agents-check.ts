import { agentNames } from "../../../agents/agents.ts";
import type { AgentProbe } from "../../../agents/port/agent.ts";
import { knownAcpAgents } from "../../../agents/port/known-acp-agents.ts";
import { probeProgram } from "../../../agents/port/probe-program.ts";
import { fixable } from "../../../base/errors.ts";
import { childEnvironment } from "../../../config/environment.ts";
import type { Settings } from "../../../config/settings.ts";
import { configuredAgent } from "../../project/choose-agents.ts";
import { mayStart } from "../../trust/approval.ts";
import { type Check, passed } from "./check.ts";

type Place = Parameters<typeof mayStart>[0];

/**
 * Describes the agents that the project does not use, a line for each installed one and one for the others. None of them
 * is a problem, and none is asked for an answer of its model.
 */
export async function describeOtherAgents(project: Place): Promise<readonly Check[]> {
  const { settings } = project.loaded;
  const { argv } = settings.agents.acp;
  const names = agentNames.filter((name) => !["acp", "command", ...settings.agent].includes(name));
  // A program that an unapproved file names is not started.
  const checkable = names.filter((name) => mayStart(project, name));
  const others = knownAcpAgents.filter((known) => known.argv[0] !== argv?.[0]);
  const [known, acp] = await Promise.all([
    Promise.all(checkable.map(async (name) => ({ name, probe: await probeOf(settings, name) }))),
    Promise.all(
      others.map(async ({ name, argv: [program] }) => ({
        name,
        probe: await probeProgram(program, childEnvironment(), ""),
      })),
    ),
  ]);
  const missing = known.flatMap(({ name, probe }) => (probe && !probe.found ? [{ name, ...probe }] : []));
  return [
    ...known.flatMap(({ name, probe }) => (probe?.found ? [describe(name, probe)] : [])),
    ...acp.flatMap(({ name, probe }) => (probe.found ? [describeAcp(name, probe)] : [])),
    ...(missing.length === 0 ? [] : [describeMissing(missing)]),
  ];
}

/** Returns null for an agent that refuses its settings here. */
async function probeOf(settings: Settings, name: string): Promise<AgentProbe | null> {
  try {
    return await configuredAgent(settings, name).probe();
  } catch (error) {
    fixable(error);
    return null;
  }
}

type Found = Extract<AgentProbe, { found: true }>;
type Missing = Extract<AgentProbe, { found: false }>;

function describe(name: string, { program, version, isLoggedIn, problem }: Found): Check {
  const login = isLoggedIn === undefined ? "login unknown" : isLoggedIn ? "logged in" : "";
  const state = problem ? problem.detail : login;
  const detail = `${program} ${version ?? "(unknown version)"}, headless, ${state}; not configured`;
  return passed({ check: `agent ${name}`, detail: problem ? `${detail}. ${problem.hint}` : detail });
}

function describeAcp(name: string, { program, version }: Found): Check {
  const detail = `${program} ${version ?? "(unknown version)"}, headless by ACP, login unknown`;
  return passed({
    check: `agent ${name}`,
    detail: `${detail}; not configured (ralph init --agent ${name})`,
  });
}

function describeMissing(missing: readonly (Missing & { readonly name: string })[]): Check {
  const list = missing.map(({ name, hint }) => {
    const install = /npm i -g \S+[\w]/.exec(hint)?.[0];
    return install ? `${name} (${install})` : name;
  });
  return passed({ check: "other agents", detail: `not installed: ${list.join(", ")}` });
}
