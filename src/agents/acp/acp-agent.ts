import { RalphError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AcpSettings, KnownAgentSettings } from "../../base/shared-settings.ts";
import { findProgram } from "../../process/find-program.ts";
import { protocolReader } from "../formats/api-failure.ts";
import type { Agent, AgentRequest, AgentSetup } from "../port/agent.ts";
import { knownAcpAgents } from "../port/known-acp-agents.ts";
import { probeProgram } from "../port/probe-program.ts";
import type { StreamReader } from "../port/session-stream.ts";
import { sessionAgent } from "../session/session-agent.ts";
import { toolServer } from "../session/tool-server.ts";
import { acpStream } from "./acp-stream.ts";
import { acpModels } from "./offered-models.ts";
import type { AcpProgram } from "./programs.ts";
import { anyProgram, geminiProgram, opencodeProgram } from "./programs.ts";
import type { AcpSession } from "./session-settings.ts";

/** Creates the adapter for any agent that speaks the Agent Client Protocol. Throws RALPH_AGENT_ARGV. */
export function acpAgent(settings: AcpSettings, setup: AgentSetup): Agent {
  const [program, ...args] = settings.argv ?? [];
  if (program === undefined) {
    throw new RalphError("RALPH_AGENT_ARGV", "the `acp` agent has no program to run", {
      hint: `Set it in .ralph/config.yaml: \`agents: { acp: { argv: [${exampleFor(setup).join(", ")}] } }\`.`,
    });
  }
  return agentOf(anyProgram([program, ...args]), { ...settings, extraArgs: [], program: null }, setup);
}

/** An agent of the registry that is installed here, or any. */
function exampleFor({ env }: AgentSetup): readonly string[] {
  const place = { cwd: process.cwd(), env };
  return (
    (knownAcpAgents.find(({ argv: [program] }) => findProgram(program, place)) ?? knownAcpAgents[0])?.argv ??
    []
  );
}

export function geminiAgent(settings: KnownAgentSettings, setup: AgentSetup): Agent {
  return agentOf(geminiProgram, settings, setup);
}

export function opencodeAgent(settings: KnownAgentSettings, setup: AgentSetup): Agent {
  return agentOf(opencodeProgram, settings, setup);
}

function agentOf(program: AcpProgram, settings: KnownAgentSettings, setup: AgentSetup): Agent {
  const { env } = setup;
  const level = setup.readOnly ? "plan" : (settings.permission ?? setup.defaultPermission);
  const [first, ...args] = program.argv;
  const executable = settings.program ?? first;
  const command: Agent["command"] = (request) => ({
    argv: [executable, ...args, ...program.args(request), ...settings.extraArgs],
    env: program.env(request, level, setup),
  });
  const { name, listsSkills, tiers } = program;
  return sessionAgent({
    ...{ name, settings, program: executable, env, permission: level, command, listsSkills },
    ...{ tiers, defaultModel: "default" },
    reader: (request) =>
      readerOf({
        ...{ program: { ...program, argv: [executable, ...args] }, level, request },
        servers: serversOf(request, setup),
      }),
    models: {
      sessionsRefuse: true,
      ask: async (cwd) => await acpModels([executable, ...args, ...settings.extraArgs], env, cwd),
    },
    probe: async () => {
      const probe = await probeProgram(executable, env, program.install);
      return probe.found && program.hasLogin(env) ? { ...probe, isLoggedIn: true } : probe;
    },
  });
}

function readerOf(session: AcpSession): StreamReader {
  const reader = protocolReader(acpStream(session), session.program);
  // The protocol announced the end, and nothing is written after it.
  return { ...reader, stop: { ...reader.stop, lingerMs: 2000 } };
}

function serversOf(request: AgentRequest, setup: AgentSetup): readonly JsonObject[] {
  const server = toolServer(request, setup);
  if (!server) return [];
  const { command, args, env } = server;
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  return [{ name: "ralph", command, args, env: variables }];
}
